import { EXIT } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { TestResult } from '../../mapping-tests/result.ts'
import { runMappingTests } from '../../mapping-tests/run-tests.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { cutTo, visible, width } from '../../text/visible.ts'
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
    ...differences.flatMap((one) =>
      differenceLines(one, total - INDENT.length).map((line) => `${INDENT}${line}`),
    ),
    ...why.flatMap((text) => fold(visible(text), INDENT)),
  ]
}

/** A member, and below it what was expected and what came out. */
function differenceLines(difference: Test['differences'][number], total: number): string[] {
  const [member, expected, came] = [difference.member, difference.expected, difference.came_out].map((text) =>
    visible(text ?? NONE),
  ) as [string, string, string]
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
