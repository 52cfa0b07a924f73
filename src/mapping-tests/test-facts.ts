import type { GuardFacts } from '../guards/guard.ts'
import type { Io } from '../io.ts'
import { sum } from '../text/lists.ts'
import type { TestedOptions, TestedRules } from './run-test.ts'
import { STATED, type TestSet, testSetsOf } from './test-sets.ts'

/**
 * Runs the tests of a mapping file by the options of a transform, before it begins. Tables to join are those that the tests name:
 * the transform's own may be large.
 */
export async function testFacts(
  { map, file, options }: TestedRules,
  io: Io,
): Promise<Pick<GuardFacts, 'tests'>> {
  const sets = await testSetsOf(map, file)
  if (sets.length === 0) return {}
  // Loaded here: what traces records is of no use to a transform without tests.
  const { joinsOf, runSet } = await import('./run-tests.ts')
  const failed: string[] = []
  for (const set of sets) {
    const ran = await runSet({ map, file, set }, { ...options, join: joinsOf(set) }, io)
    for (const { row } of ran) {
      if (row.outcome !== 'failed') continue
      const [first] = row.differences
      const { member, expected, came_out: cameOut } = first ?? {}
      const difference = `${member}: expected ${expected ?? 'none'}, came out ${cameOut ?? 'none'}`
      failed.push(`${row.name}: ${row.error ?? difference}`)
    }
  }
  const others = sets.flatMap((set) => otherOptions(set, options))
  return { tests: { map, failed, others, all: sum(sets, ({ tests }) => tests.length) } }
}

/** Options that a file of tests states and the transform was not given. */
function otherOptions({ path, options }: TestSet, given: TestedOptions): string[] {
  const switches = options.with ?? []
  const missing = [
    ...STATED.filter(([name, own]) => ![undefined, given[own]].includes(options[name])).map(
      ([name]) => `--${name.replaceAll('_', '-')} ${options[name]}`,
    ),
    ...switches.filter((one) => !given.with.includes(one)).map((one) => `--with ${one}`),
  ]
  return missing.length === 0 ? [] : [`the tests of ${path} are for other options: ${missing.join(' ')}`]
}
