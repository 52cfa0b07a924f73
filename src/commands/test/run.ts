import { EXIT } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { TestResult } from '../../mapping-tests/result.ts'
import { runMappingTests } from '../../mapping-tests/run-tests.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { cutTo, pad, visible, width } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import type { Screen } from '../command.ts'
import type { TestCall } from './index.ts'

export { testResult as schema } from '../../mapping-tests/result.ts'

export const exit = ({ failed }: TestResult) => (failed > 0 ? EXIT.rejects : EXIT.done)

export async function* run({ args: [mapping], values }: TestCall, world: Io): AsyncGenerator<TestResult> {
  yield await runMappingTests(mapping!, values, world)
}

type Test = TestResult['tests'][number]
const WIDEST = 120
const INDENT = ' '.repeat(11)
const GAP = 2
/** In place of a value that is not there. */
const NONE = '–'

/** The tests of a mapping file for a person; of those that fail, what is not as expected. */
export function lines(result: TestResult, { columns = COLUMNS }: Screen): string[] {
  const { mapping, passed, failed, updated, tests } = result
  const total = Math.min(columns, WIDEST) - 1
  const many = new Set(tests.map(({ file }) => file)).size > 1
  const counts = Object.entries({ passed, failed, updated }).filter(([, count]) => count > 0)
  const words = counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')
  return [
    ...fold(`${visible(mapping)}: ${plural(tests.length, 'test')}, ${words}`, '  ', ''),
    ...tests.flatMap((test, at) => {
      const isFirst = many && test.file !== tests[at - 1]?.file
      return [...(isFirst ? [`${visible(test.file)}:`] : []), ...oneLines(test, total)]
    }),
    ...nextLines(result),
  ]
}

function nextLines({ failed, updated, tests }: TestResult): string[] {
  const files = (outcome: Test['outcome']) =>
    [...new Set(tests.filter((test) => test.outcome === outcome).map(({ file }) => visible(file)))].join(
      ' and ',
    )
  const next =
    updated > 0
      ? `${files('updated')} now expects what came out: look at the change before you keep it`
      : `mend the mapping file; or, if what came out is right, let --update write it into ${files('failed')}`
  return updated + failed > 0 ? fold(next, '  ', '') : []
}

const WORDS = { passed: 'ok', failed: 'failed', updated: 'updated' } as const

function oneLines({ name, outcome, differences, messages, error }: Test, total: number): string[] {
  const head = cutTo(`  ${WORDS[outcome].padEnd(INDENT.length - 2)}${visible(name)}`, total)
  const why = [...(error === null ? [] : [error]), ...messages]
  return [
    head,
    ...differenceLines(differences, total - INDENT.length).map((line) => `${INDENT}${line}`.trimEnd()),
    ...why.flatMap((text) => fold(visible(text), INDENT)),
  ]
}

/** Member by member, what was expected beside what came out. Values that are too long stand one under the other. */
function differenceLines(differences: Test['differences'], total: number): string[] {
  if (differences.length === 0) return []
  const rows = differences.map(({ member, expected, came_out }) => {
    return [visible(member), visible(expected ?? NONE), visible(came_out ?? NONE)] as const
  })
  const first = Math.min(
    Math.floor(total * 0.4),
    Math.max(...rows.map(([member]) => width(member)), 'member'.length),
  )
  const each = Math.floor((total - first - 2 * GAP) / 2)
  const line = (cells: readonly string[]) =>
    [pad(cells[0]!, first), pad(cells[1]!, each), cells[2]!].join(' '.repeat(GAP))
  const lines = rows.flatMap(([member, expected, came]) => {
    const fits = width(member) <= first && width(expected) <= each && width(came) <= each
    return fits ? [line([member, expected, came])] : stacked([member, expected, came], total)
  })
  return [line(['member', 'expected', 'came out']), ...lines]
}

function stacked([member, expected, came]: readonly [string, string, string], total: number): string[] {
  const room = total - '  expected  '.length
  const from = width(expected) > room || width(came) > room ? firstDifference(expected, came) : 0
  const shown = (text: string) => cutTo(from > 0 ? `…${text.slice(from)}` : text, room)
  return [cutTo(member, total), `  expected  ${shown(expected)}`, `  came out  ${shown(came)}`]
}

/** Where two long texts begin to differ, less some characters that they share. */
function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return Math.max(0, at - 20)
}
