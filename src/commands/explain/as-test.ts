import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { withTests } from '../../mapping-tests/test-text.ts'
import { addTests, testableRecord, testsFrom } from '../../mapping-tests/write-tests.ts'
import type { Explanation } from '../../studio/explanation.ts'
import type { FoundRecord } from '../../studio/find-record.ts'
import { loadMapping, takeMapping } from '../../transform/load-mapping.ts'
import type { Prepared } from '../../transform/prepare.ts'
import type { ExplainValues } from './index.ts'
import type { ExplainResult } from './result.ts'

/** Makes a test of a record, which expects what becomes of it now, and adds it to those of the mapping file. */
export async function recordTest(
  { found, trace }: { readonly found: FoundRecord; readonly trace: Explanation['trace'] },
  { job, map }: Pick<Prepared, 'job'> & { readonly map: string | undefined },
  values: ExplainValues,
  io: Io,
): Promise<NonNullable<ExplainResult['test']>> {
  const [part] = trace.parts
  const about = part?.source_event ?? trace.whole?.reason ?? part?.reason ?? 'a record'
  const { input, number } = found
  if (found.record === undefined)
    throw new PosthaulError('the record is too long for a test', {
      code: 'input',
      hint: 'choose a shorter one',
    })
  const record = found.record.toString('utf8')
  const testable = await testableRecord({ input, number, record, about }, job, io)
  const file = map === undefined ? await takeMapping(Buffer.from(''), '') : await loadMapping(map)
  const options = { ...values, preset: map === undefined ? job.preset : values.preset }
  const rules = { map: map ?? '', file, options }
  const [written] = await testsFrom([testable], rules, io)
  const { name } = testable
  if (map === undefined) return { name, file: null, yaml: withTests('', [written!]) }
  return { name, file: await addTests([written!], rules), yaml: null }
}
