import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { DRAIN_MS, interruption } from '../../drain.ts'
import { listInputs } from '../../inputs/list.ts'
import { emptyInput } from '../../inputs/read.ts'
import type { Io } from '../../io.ts'
import { testFileOf } from '../../mapping-tests/test-sets.ts'
import { readSecret } from '../../options/read-secret.ts'
import { startMapping } from '../../studio/first-mapping.ts'
import { openStudio } from '../../studio/server/open-studio.ts'
import type { NextStep, StudioState } from '../../studio/studio-data.ts'
import { Workbench } from '../../studio/workbench.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
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
      ...{ fault: fault?.message ?? null, pid: process.pid },
    }
    await interruption(world.interrupted)
    await studio.close()
  } finally {
    await bench.close()
  }
}

async function openBench(path: string, values: StudioValues, io: Io): Promise<Workbench> {
  const { preset, in: said, sample: records } = values
  const inputs = await listInputs(said)
  const hashKey = () => readSecret({ variable: HASH_KEY }, io.env, io.stdin)
  const request: TransformRequest = { ...values, gzip: false, dryRun: true, hashKey }
  return new Workbench({
    request,
    said,
    inputs,
    path,
    start: () => startMapping(inputs, { asked: said, preset, stop: io.interrupted }),
    next: nextSteps(path, values),
    winning: winningOptions(values),
    records,
    stop: io.interrupted,
  })
}

/** From the mapping to a report. A mapping file of another name has a dataset of its own. */
function nextSteps(path: string, values: StudioValues): NextStep[] {
  const stem = basename(path).replace(/\.(ya?ml|json)$/i, '')
  const out = stem === 'mapping' ? 'events/' : `events-${stem}/`
  const page = out.replace(/^events(.*)\/$/, 'report$1.html')
  const given = (flag: string, value: string | readonly string[] | undefined) =>
    value === undefined || value.length === 0 ? [] : [flag, ...[value].flat()]
  const options = [
    ...given('--preset', values.preset),
    ...given('--source-timezone', values.sourceTimezone),
    ...given('--group-type', values.groupType),
    ...given('--with', values.with),
    ...given('--join', values.join),
  ]
  const transform = ['transform', '--map', path, '--in', ...values.in, ...options, '--out', out]
  const tests = [
    ['test', path, ...options, '--update'],
    'Shows which records become something else than their tests expect, and makes that what they expect: look at it.',
  ] as const
  const steps: ReadonlyArray<readonly [words: readonly string[], what: string]> = [
    ...(existsSync(testFileOf(path)) ? [tests] : []),
    [transform, 'Runs the tests of the mapping and makes the events, on this machine. Nothing is sent.'],
    [['check', out], 'Says what an import will do, and what would be lost or changed.'],
    [
      ['import', '--dataset', out],
      'Sends the events. It needs the keys of the project; the same line goes on after a stop.',
    ],
    [['verify', out], 'Proves that all of them are there.'],
    [['report', out, '--out', page], 'Writes a page that shows what was moved, to be sent by mail.'],
  ]
  return steps.map(([words, what]) => ({ line: posthaulLine(words), what }))
}

/** What the mapping file can't change, as it was typed. */
function winningOptions({ preset, sourceTimezone, groupType }: StudioValues): string[] {
  return [
    ...(preset === undefined ? [] : [`--preset ${preset}`]),
    ...(sourceTimezone === undefined ? [] : [`--source-timezone ${sourceTimezone}`]),
    ...(groupType === undefined ? [] : [`--group-type ${groupType}`]),
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
  const { records, whole, files, mapping, fault } = result
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${whole ? 'all there are' : 'a sample'}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault === null ? [] : [`  it has a fault: ${visible(fault)}`]),
    'open the address above in a browser of this machine; stop with Ctrl-C',
  ]
}
