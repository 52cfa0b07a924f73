import { DRAIN_MS, interruption } from '../../drain.ts'
import { listInputs } from '../../inputs/list.ts'
import { emptyInput } from '../../inputs/read.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/read-secret.ts'
import { GROUP_EVENT_NAME } from '../../options/transform-rows.ts'
import { startMapping } from '../../studio/first-mapping.ts'
import { openStudio } from '../../studio/server/open-studio.ts'
import type { StudioState } from '../../studio/studio-data.ts'
import { Workbench } from '../../studio/workbench.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { HASH_KEY } from '../../transform/hash-key.ts'
import type { TransformRequest } from '../../transform/make-job.ts'
import { interruptedError } from '../../transform/pool.ts'
import { renderError } from '../render-error.ts'
import type { StudioCall, StudioValues } from './index.ts'
import type { StudioResult } from './result.ts'

export { studioResult as schema } from './result.ts'

/** Yields the address of the page, and serves it until it is told to stop. */
export async function* run({ args, values }: StudioCall, world: Io): AsyncGenerator<StudioResult> {
  const [path = 'mapping.yaml'] = args
  world.drain.allow(DRAIN_MS)
  const bench = await openBench(path, values, world)
  try {
    const { input, mapping, fault } = await firstState(bench, values, world)
    const studio = await openStudio(bench, values.port, (error) => void renderError(error, world, ['studio']))
    if (!values.json) world.stdout.write(`${studio.url}\n`)
    yield {
      ...{ version: 1, command: 'studio', url: studio.url },
      mapping: { path: mapping.path, exists: mapping.exists },
      ...{ records: input.records, files: input.files, whole: input.whole },
      ...{ estimated_records: input.estimatedRecords, fault: fault?.message ?? null, pid: process.pid },
    }
    await interruption(world.interrupted)
    await studio.close()
  } finally {
    await bench.close()
  }
}

async function openBench(path: string, values: StudioValues, io: Io): Promise<Workbench> {
  const { preset, sample: records } = values
  const said = values.in
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
    join: values.join,
    gzip: false,
    dryRun: true,
    groupEventName: GROUP_EVENT_NAME.default,
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
async function firstState(bench: Workbench, values: StudioValues, io: Io): Promise<StudioState> {
  try {
    const state = await bench.state()
    if (state.input.records === 0) throw emptyInput(values.in.join(' '))
    return state
  } catch (error) {
    if (io.interrupted.aborted) throw interruptedError()
    throw error
  }
}

/** What is looked at, without the address: that goes to standard output alone, since it has the token. */
export function lines(result: StudioResult): string[] {
  const { records, whole, files, estimated_records: all, mapping, fault } = result
  const of = whole ? 'all there are' : `a sample${all === null ? '' : ` of about ${number(all)}`}`
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${of}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault === null ? [] : [`  it has a fault: ${visible(fault)}`]),
    'open the address above in a browser of this machine; stop with Ctrl-C',
  ]
}
