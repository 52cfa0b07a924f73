import { PosthaulError } from '../errors.ts'
import { statOf } from '../inputs/locate.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { type MappingTest, parseTests, type TestOptions } from '../mapping/mapping-tests.ts'
import { fileError } from '../store/file-error.ts'
import { readWhole, utf8Of } from '../store/read-file.ts'
import { MIB } from '../text/units.ts'

const MOST_BYTES = 16 * MIB

/** Options of one value that a file of tests can state, by their names in it, and in a transform's request. */
export const STATED = [
  ['preset', 'preset'],
  ['source_timezone', 'sourceTimezone'],
  ['group_type', 'groupType'],
  ['person_properties', 'personProperties'],
  ['big_integers', 'bigIntegers'],
] as const

/** Where tests stand that are not in the mapping file itself: `mapping.test.yaml` for `mapping.yaml`. */
export function testFileOf(map: string): string {
  return map.replace(/(\.(ya?ml|json))?$/i, '.test.yaml')
}

/** Refuses a file of tests in the place of its mapping file. Code `usage`. */
export function assertMappingFile(map: string): void {
  const stem = /^(.*)\.test\.ya?ml$/i.exec(map)?.[1]
  if (stem === undefined) return
  throw new PosthaulError(`${map} is a file of tests, not a mapping file`, {
    code: 'usage',
    hint: `name the mapping file beside it: ${stem}.yaml`,
  })
}

/** The tests of one file. */
export interface TestSet {
  /** The mapping file, or the file of tests beside it. */
  readonly path: string
  readonly options: TestOptions
  readonly tests: readonly MappingTest[]
}

/** The tests in a mapping file, and those of the file beside it. Code `config`, with line and column, for a bad one. */
export async function testSetsOf(map: string, { tests }: Pick<MappingFile, 'tests'>): Promise<TestSet[]> {
  const own = tests.length > 0 ? [{ path: map, options: {}, tests }] : []
  const path = testFileOf(map)
  if ((await statOf(path)) === undefined) return own
  const bytes = await readWhole(path, { mostBytes: MOST_BYTES }).catch((error) => {
    throw fileError(error, 'read the tests', path)
  })
  return [...own, { path, ...parseTests(utf8Of(bytes, path), path) }]
}
