import { expect, test } from 'vitest'
import { renderError } from '../../src/commands/render-error.ts'
import { type ErrorDetails, PosthaulError } from '../../src/errors.ts'
import { screen } from '../helpers/screen.ts'

function render(
  error: unknown,
  argv: readonly string[],
  command?: readonly string[],
  isStage = false,
): string {
  const { telemetry, text } = screen()
  const io = { telemetry, argv, interrupted: new AbortController().signal, ...(isStage && { isStage }) }
  const code = renderError(error, io, command)
  return `${text()}[exit ${code}]\n`
}

const IMPORT = ['import', '--dataset', 'events/']
const ERRORS: readonly (ErrorDetails & { readonly message: string })[] = [
  { code: 'usage', message: '--lanes is "0": expected a whole number from 1 to 64' },
  { code: 'config', message: 'no address: say where the events go', hint: 'set POSTHOG_REGION to us or eu' },
  {
    code: 'input',
    message: "9 of the first 9 records (100%) can't become events; nothing was written",
    lines: ['9 x event_missing: the record has no event name'],
    hint: 'is the preset the right one, and do the columns of the mapping file fit? A hint of two lines is folded',
  },
  { code: 'auth', message: 'the service refuses this key: 401', hint: 'check POSTHOG_PROJECT_API_KEY' },
  { code: 'paused', message: 'the time given is over', hint: 'what was taken is saved' },
  { code: 'unavailable', message: 'http://127.0.0.1:8010: no connection' },
  { code: 'mismatch', message: 'events.checkpoint.json belongs to an import with another project key' },
  {
    code: 'auth',
    message: 'https://eu.posthog.com: the personal key from POSTHOG_PERSONAL_API_KEY is not valid: Invalid.',
    hint: 'make a new one at https://eu.posthog.com/settings/user-api-keys',
  },
  { code: 'locked', message: 'another run holds events.checkpoint.json.lock', hint: 'wait for it to end' },
  { code: 'interrupted', message: 'interrupted; the state is saved' },
]

test('an error of every exit code', async () => {
  const text = ERRORS.map(({ message, ...details }) => render(new PosthaulError(message, details), IMPORT))
  await expect(text.join('\n')).toMatchFileSnapshot('../golden/errors.txt')
})

test('what a server or a file name says is shown, not obeyed', () => {
  const error = new PosthaulError('bad \x1b[2J', { code: 'auth', lines: ['\x1b[A'], hint: '\x07' })
  expect(render(error, IMPORT)).not.toMatch(/(?!\n)\p{Cc}/u)
})

test.each([
  [
    'mismatch',
    'or add --restart, which sends all of it',
    /run has no such option.*\n {2}by hand: posthaul import --dataset events\/\n/s,
  ],
  [
    'input',
    'name a folder with --state',
    /run has no such option.*\n {2}once that is mended: posthaul import/s,
  ],
  ['mismatch', 'bring the file back from a backup', /^(?!.*(by hand|no such option))/s],
] as const)(
  'of a stage of run, an option that only its command has is led to: %s, %s',
  (code, hint, words) => {
    expect(render(new PosthaulError('no', { code, hint }), IMPORT, undefined, true)).toMatch(words)
    expect(render(new PosthaulError('no', { code, hint }), IMPORT)).not.toContain('no such option')
  },
)

test('what is to be pasted stays on one line, and a path is not broken', () => {
  const path = `/${'data/'.repeat(20)}events.ndjson`
  const text = render(new PosthaulError(`cannot read ${path}: no`, { code: 'config' }), ['check', path])
  expect(text).toBe(
    `posthaul: cannot read\n  ${path}:\n  no\n  once that is mended: posthaul check ${path}\n[exit 2]\n`,
  )
})

test('a mistake in the command line leads to the help of the innermost command', () => {
  const error = new PosthaulError('no', { code: 'usage' })
  expect(render(error, ['groups', 'list', '--type'], ['groups', 'list'])).toContain(
    '  options: posthaul groups list --help\n',
  )
})

test('a bug says that it is one', () => {
  expect(render(new TypeError('x is not a function'), IMPORT)).toMatch(
    /^posthaul: this is a bug: TypeError[\s\S]*\[exit 1\]/,
  )
})
