import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DRAIN_MS } from '../../drain.ts'
import { loadDuckDB } from '../../duckdb.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import type { VerifyResult } from '../../imports/verify-result.ts'
import type { Io } from '../../io.ts'
import type { Counts } from '../../record/counts.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { fileError } from '../../store/file-error.ts'
import { makeFolder } from '../../store/own-file.ts'
import { posthaulLine, shellWord } from '../../text/shell-word.ts'
import { number } from '../../text/words.ts'
import { performQuietly } from '../perform.ts'
import { printing } from '../printing.ts'
import type { TransformResult } from '../results.ts'
import { makeHistory } from './demo-history.ts'
import type { OPTIONS } from './index.ts'

/** Runs a whole migration on sample data; done only when every count agrees. */
export const demo = printing<typeof OPTIONS>(async ({ values: { dir, events } }, io) => {
  const say = (line: string) => io.stdout.write(`${line}\n`)
  io.drain.allow(DRAIN_MS)
  // The sandbox needs it, which is not yet there when the first lines are printed.
  await loadDuckDB("the demo's sandbox needs")
  const folder = await workFolder(dir)
  say('posthaul demo: a made-up Mixpanel history moves into a sandbox on this machine')

  const lines = makeHistory(events)
  await writeHistory(folder, lines)
  say(`\n1. cd ${shellWord(folder)}`)
  say(`   raw/history.ndjson holds ${number(lines.length)} lines, a few of them broken`)

  const transform = ['transform', '--map', 'mapping.yaml', '--in', 'raw/', '--out', 'events/']
  say(`\n2. ${posthaulLine(transform)}`)
  // The commands are those of somebody in the folder.
  process.chdir(folder)
  const { counts } = await step<TransformResult>(transform, folder, {}, io)
  say(sumLines(counts, 'written'))
  const generated = number(counts.generated)
  say(`   and ${generated} generated events, which say who an anonymous visitor turned out to be`)

  const sandbox = await startSandbox()
  try {
    const env = {
      POSTHOG_INGEST_HOST: sandbox.url,
      POSTHOG_HOST: sandbox.url,
      POSTHOG_PROJECT_API_KEY: sandbox.projectKey,
      POSTHOG_PERSONAL_API_KEY: sandbox.personalKey,
      POSTHOG_PROJECT_ID: String(sandbox.projectId),
      // What the demo delivers counts for no migration of the user's.
      XDG_STATE_HOME: join(folder, 'state'),
    }
    const importing = ['import', '--dataset', 'events/', '--approved', '--max-events-per-minute', '1000000']
    say(`\n3. ${posthaulLine(importing)}`)
    say(sumLines((await step<{ counts: Counts }>(importing, folder, env, io)).counts, 'sent'))

    const verifying = ['verify', 'events/']
    say(`\n4. ${posthaulLine(verifying)}`)
    const { equal, events } = await step<VerifyResult>(verifying, folder, env, io)
    if (!equal) throw new Error('the sandbox does not hold the events that were sent')
    say(`   verify: equal: all ${number(events.here)} events are there, exactly`)
  } finally {
    await sandbox.close()
  }
  await rm(join(folder, UNFINISHED), { force: true })
  say('\nThe sandbox of the demo has stopped. Look at:')
  say(`   ${folder}`)
  say('      everything that the demo made; delete it when you have seen enough')
  say(`   ${join(folder, 'events', 'rejects.ndjson')}`)
  say('      the broken lines, each with its reason')
  say('\nNext, with an export of your own:')
  say('   posthaul transform --preset mixpanel --in export/ --out events/ --dry-run')
  say('   posthaul sandbox                  a service to rehearse the import on')
})

/** Runs a command in the demo's folder, and returns its result. */
async function step<Result>(
  argv: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  io: Io,
): Promise<Result> {
  if (io.interrupted.aborted) throw interrupted(folder)
  const { code, result, said } = await performQuietly<Result>(argv, { ...io, env: { ...io.env, ...env } })
  if (io.interrupted.aborted) throw interrupted(folder)
  // The history has broken lines on purpose, so rejects are expected.
  if (code === EXIT.done || code === EXIT.rejects) return result!
  throw new PosthaulError(`${posthaulLine(argv)} ended with exit code ${code}`, {
    code: 'unavailable',
    lines: [said],
    hint: `what the demo made so far is in ${folder}`,
  })
}

function interrupted(folder: string): PosthaulError {
  return new PosthaulError('the demo was interrupted', {
    code: 'interrupted',
    hint: `what it made so far is in ${folder}, and can be deleted; the demo begins anew when it is run again`,
  })
}

/** What became of every record, in two lines that fit a terminal. */
function sumLines(counts: Counts, done: string): string {
  const { read, written, rejected, filtered, duplicate, pending } = counts
  const head = `   read ${number(read)} `
  return `${head}= ${done} ${number(written)} + rejected ${number(rejected)}
${' '.repeat(head.length)}+ filtered ${number(filtered)} + duplicate ${number(duplicate)} + pending ${number(pending)}`
}

const MAPPING = `# What this company adds to the preset: its customers become groups.
preset: mixpanel
groups:
  company: properties.company
`

/** Name of a file that is there until the demo has ended. */
const UNFINISHED = '.posthaul-demo'
/** What a demo makes in its folder: the state of its import stands beside the dataset. */
const MADE = /^(?:raw|mapping\.yaml|state|events(?:\..*)?)$/

async function workFolder(dir: string | undefined): Promise<string> {
  if (dir === undefined) {
    return mkdtemp(join(tmpdir(), 'posthaul-demo-')).catch((error: unknown) => {
      throw fileError(error, 'make a folder in', tmpdir())
    })
  }
  await makeFolder(dir)
  const names = await readdir(dir).catch((error: unknown) => {
    throw fileError(error, 'list', dir)
  })
  // A demo that was cut short leaves a mark beside what it made: the same command begins anew.
  if (names.includes(UNFINISHED)) {
    for (const name of names.filter((one) => MADE.test(one)))
      await rm(join(dir, name), { recursive: true, force: true })
  } else if (names.length > 0) {
    throw new PosthaulError(`${dir} is not empty`, {
      code: 'usage',
      hint: 'name an empty folder, or leave --dir out',
    })
  }
  return resolve(dir)
}

async function writeHistory(folder: string, lines: readonly string[]): Promise<void> {
  try {
    await writeFile(join(folder, UNFINISHED), '')
    await mkdir(join(folder, 'raw'))
    await writeFile(join(folder, 'raw', 'history.ndjson'), `${lines.join('\n')}\n`)
    await writeFile(join(folder, 'mapping.yaml'), MAPPING)
  } catch (error) {
    throw fileError(error, 'write to', folder)
  }
}
