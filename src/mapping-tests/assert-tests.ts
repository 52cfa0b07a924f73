import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { sum } from '../text/lists.ts'
import { posthaulLine } from '../text/shell-word.ts'
import { plural } from '../text/words.ts'
import { differenceText } from './junit.ts'
import type { TestedOptions } from './run-test.ts'
import { STATED, type TestSet, testSetsOf } from './test-sets.ts'

/** Failing tests that an error names. */
const MOST_NAMED = 8

/** A transform that is about to begin. */
interface TestedTransform {
  /** The mapping file, as it was named and as it was read. */
  readonly map: string
  readonly file: MappingFile
  readonly options: TestedOptions
  /** It writes nothing, and is for finding out what is wrong: it goes on where tests fail. */
  readonly dryRun: boolean
}

/**
 * Runs the tests of a mapping file by the options of a transform, before it begins. Code `config` where one fails, with what
 * is not as expected. Tables to join are those that the tests name: the transform's own may be large.
 */
export async function assertTestsPass(
  { map, file, options, dryRun }: TestedTransform,
  io: Io,
): Promise<void> {
  const sets = await testSetsOf(map, file)
  if (sets.length === 0) return
  // Loaded here: what traces records is of no use to a transform without tests.
  const { joinsOf, runSet } = await import('./run-tests.ts')
  const failed: string[] = []
  for (const set of sets) {
    const ran = await runSet({ map, file, set }, { ...options, join: joinsOf(set) }, io)
    for (const { row } of ran) {
      if (row.outcome !== 'failed') continue
      const [first] = row.differences
      failed.push(`${row.name}: ${row.error ?? (first && differenceText(first))}`)
    }
  }
  if (failed.length === 0) return
  const all = sum(sets, ({ tests }) => tests.length)
  const more = failed.length - MOST_NAMED
  const others = sets.flatMap((set) => otherOptions(set, options))
  const message = `${failed.length} of ${plural(all, 'test')} of ${map} ${failed.length === 1 ? 'fails' : 'fail'}`
  const shown = posthaulLine(['test', map])
  if (dryRun)
    return io.telemetry.note('transform', `${message}: ${shown} shows what is not as expected`, 'warn')
  throw new PosthaulError(`${message}, so nothing was written`, {
    code: 'config',
    lines: [...failed.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : []), ...others],
    hint: `see all with ${shown}; mend the mapping file, or the test with --update; --no-tests goes on all the same`,
  })
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
