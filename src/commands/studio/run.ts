import { emptyInput } from '../../inputs/read.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/read-secret.ts'
import { required, type Values } from '../../options/row.ts'
import { ENDPOINT, IN } from '../../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { STUDIO_PORT, STUDIO_SAMPLE } from '../../options/rows/studio-rows.ts'
import * as rows from '../../options/rows/transform-rows.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import type { StudioState } from '../../studio/studio-data.ts'
import type { Workbench } from '../../studio/workbench.ts'
import { HASH_KEY } from '../../transform/hash-key.ts'
import type { TransformRequest } from '../../transform/make-job.ts'
import { interruptedError } from '../../transform/pool.ts'
import { joinAt, PRESET_ROW } from '../event-rows.ts'

export const STUDIO_ROWS = [
  PRESET_ROW,
  required(IN),
  rows.SOURCE_TIMEZONE,
  rows.GROUP_TYPE,
  rows.WHERE,
  rows.WITH,
  rows.JOIN,
  STUDIO_SAMPLE,
  STUDIO_PORT,
  { ...JSON_SUMMARY, help: 'print the address as a JSON object' },
  ENDPOINT,
] as const

export type StudioValues = Values<typeof STUDIO_ROWS>

export async function openBench(path: string, values: StudioValues, io: Io): Promise<Workbench> {
  const [{ listInputs }, { Workbench }, { startMapping }] = await Promise.all([
    import('../../inputs/list.ts'),
    import('../../studio/workbench.ts'),
    import('../../studio/first-mapping.ts'),
  ])
  const { preset, endpoint, sample: records } = values
  const said = values.in.map((place) => withEndpoint(place, endpoint))
  const inputs = await listInputs(said)
  return new Workbench({
    request: requestOf(values, said, io),
    said: values.in,
    inputs,
    path,
    start: () => startMapping(inputs, { asked: values.in, preset, stop: io.interrupted }),
    winning: winningOptions(values),
    addTest: async (record, { yaml, mapping: file, job }) => {
      const { addTests, testableRecord, testsFrom } = await import('../../mapping-tests/write-tests.ts')
      const options = { ...requestOf(values, said, io), preset }
      const rules = { map: path, file, options }
      const added = await testsFrom([await testableRecord(record, job, io)], rules, io)
      return { name: added[0]!.name, ...(await addTests(added, rules, yaml)) }
    },
    records,
    stop: io.interrupted,
  })
}

function requestOf(values: StudioValues, said: readonly string[], io: Io): TransformRequest {
  return {
    ...values,
    in: said,
    join: values.join.map((text) => joinAt(text, values.endpoint)),
    gzip: false,
    dryRun: true,
    groupEventName: rows.GROUP_EVENT_NAME.default,
    hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
  }
}

/** What the mapping file can't change, as it was typed. */
function winningOptions({ preset, sourceTimezone, groupType, where }: StudioValues): string[] {
  return [
    ...(preset === undefined ? [] : [`--preset ${preset}`]),
    ...(sourceTimezone === undefined ? [] : [`--source-timezone ${sourceTimezone}`]),
    ...(groupType === undefined ? [] : [`--group-type ${groupType}`]),
    ...where.map(({ path, value }) => `--where ${path}=${value}`),
  ]
}

/** Reads the sample. Code `input` for an input without a record. */
export async function firstState(bench: Workbench, values: StudioValues, io: Io): Promise<StudioState> {
  try {
    const state = await bench.state()
    if (state.input.records === 0) throw emptyInput(values.in.join(' '))
    return state
  } catch (error) {
    if (io.interrupted.aborted) throw interruptedError()
    throw error
  }
}
