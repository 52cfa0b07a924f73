import { dirname, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { readMapping, saveMapping } from '../studio/mapping-on-disk.ts'
import { loadMapping } from '../transform/load-mapping.ts'
import type { TestResult } from './result.ts'
import { runTest, type TestedOptions, type TestOutcome } from './run-test.ts'
import { testDifferences } from './test-differences.ts'
import { assertMappingFile, type TestSet, testFileOf, testSetsOf } from './test-sets.ts'
import { withOutcomes } from './test-text.ts'

/** By which options tests are run, and what is done with what they make. */
interface TestRequest extends Omit<TestedOptions, 'join'> {
  readonly join: readonly string[]
}

/** Runs the tests of a mapping file. */
export async function runMappingTests(
  map: string,
  values: TestRequest & { readonly update: boolean },
  io: Io,
): Promise<TestResult> {
  assertMappingFile(map)
  const file = await loadMapping(map)
  const sets = await testSetsOf(map, file)
  if (sets.length === 0) {
    throw new PosthaulError(`${map} has no tests, and there is no ${testFileOf(map)}`, {
      code: 'usage',
      hint: 'posthaul explain <file> --line 1 --map … --as-test writes the first; docs/mapping-files.md shows how they look',
    })
  }
  const tests: TestResult['tests'][number][] = []
  for (const set of sets) {
    const ran = await runSet({ map, file, set }, statedOptions(values, set), io)
    const written = values.update ? await acceptOutcomes(set, ran) : []
    for (const [at, { row }] of ran.entries())
      tests.push(written.includes(at) ? { ...row, outcome: 'updated' } : row)
  }
  const count = (outcome: (typeof tests)[number]['outcome']) =>
    tests.filter((test) => test.outcome === outcome).length
  const counts = { passed: count('passed'), failed: count('failed'), updated: count('updated') }
  return { ...({ version: 1, command: 'test', finished: true } as const), mapping: map, ...counts, tests }
}

/** What was given on the command line; else what the file states. */
function statedOptions(values: TestRequest, { path, options }: TestSet): TestedOptions {
  return {
    preset: values.preset ?? options.preset,
    sourceTimezone: values.sourceTimezone ?? options.source_timezone,
    groupType: values.groupType ?? options.group_type,
    personProperties: values.personProperties ?? options.person_properties,
    bigIntegers: values.bigIntegers ?? options.big_integers,
    with: values.with.length > 0 ? values.with : (options.with ?? []),
    join: values.join.length > 0 ? values.join : joinsOf({ path, options }),
  }
}

/** Tables that a file of tests names, by their paths from it. */
export function joinsOf({ path, options }: Pick<TestSet, 'path' | 'options'>): string[] {
  return Object.entries(options.join ?? {}).map(([table, file]) => `${table}=${resolve(dirname(path), file)}`)
}

/** A test that was run, and what is told of it. The outcome is undefined where the record could not be read. */
interface RanRow {
  readonly outcome: TestOutcome | undefined
  readonly row: TestResult['tests'][number]
}

/** Runs the tests of one file, one after the other. */
export async function runSet(
  { map, file, set }: { readonly map: string; readonly file: MappingFile; readonly set: TestSet },
  options: TestedOptions,
  io: Io,
): Promise<RanRow[]> {
  const ran: RanRow[] = []
  for (const test of set.tests) {
    io.interrupted.throwIfAborted()
    const running = runTest(test, { map, file, options }, io)
    const made = await running.catch((error: unknown) => {
      // A disk that is full says nothing of the mapping.
      if (error instanceof PosthaulError && error.code !== 'unavailable') return error
      throw error
    })
    const [outcome, error] = made instanceof PosthaulError ? [undefined, made] : [made, undefined]
    const differences = outcome ? testDifferences(test.expected, outcome) : []
    const isRed = differences.length > 0 || error !== undefined
    ran.push({
      outcome,
      row: {
        name: test.name,
        file: set.path,
        outcome: isRed ? 'failed' : 'passed',
        differences,
        messages: isRed ? (outcome?.messages ?? []) : [],
        error: error ? error.message : null,
      },
    })
  }
  return ran
}

/** Writes what came out into the tests that fail; what could not be read stays as it is. Gives the places of those tests. */
async function acceptOutcomes({ path, tests }: TestSet, ran: readonly RanRow[]): Promise<number[]> {
  const changed = ran.flatMap(({ outcome, row }, at) =>
    outcome && row.outcome === 'failed' ? [{ at, expected: tests[at]!.expected, outcome }] : [],
  )
  if (changed.length > 0) {
    const { yaml, digest } = (await readMapping(path))!
    await saveMapping(path, withOutcomes(yaml, changed), digest)
  }
  return changed.map(({ at }) => at)
}
