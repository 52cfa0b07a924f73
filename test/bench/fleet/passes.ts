import { mkdirSync } from 'node:fs'
import { openStore } from '../../../src/store/open.ts'
import { KINDS } from '../../../src/transform/run/frame.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { sealDay } from '../../../src/transform/seal/day.ts'
import type { Bench } from '../bench.ts'
import { Random } from '../generate/random.ts'
import { type Figure, figure, interleaved } from '../measure.ts'
import { EVENT_BYTES } from './history.ts'

const DAY = 19_000
/** As many map tasks have events of a day, more or less; each has some of any hour. */
export const PIECES = 50
const PASSES = 8
const SEED = 4711

/** Processor seconds of each further reading of a large day, against one reading that writes it too. */
export interface PassCost {
  /** Microseconds an event. */
  readonly once: Figure
  readonly further: Figure
}

/** Seals one day of so many events, whole and in passes. */
export async function passCost(bench: Bench, events: number, rounds: number): Promise<PassCost> {
  const work = bench.path('passes')
  mkdirSync(work)
  const runs = new RunWriter(work, 'day')
  const random = new Random(SEED)
  for (let n = 0; n < events; n++) {
    runs.lines.ascii(lineOf(n, random))
    runs.add(DAY * 86_400e6 + random.below(86_400e6), n, KINDS.own)
    if ((n + 1) % Math.ceil(events / PIECES) === 0) runs.flush()
  }
  runs.flush()
  const seal = (passes: number) => async () => {
    const before = process.cpuUsage()
    const store = await openStore(bench.path('passes-out'))
    await sealDay(DAY, runs.segments, {
      folder: work,
      store,
      gzip: false,
      passEvents: Math.ceil(events / passes),
    })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / events
  }
  const { whole, parted } = await interleaved({ whole: seal(1), parted: seal(PASSES) }, rounds)
  await bench.remove('passes')
  await bench.remove('passes-out')
  const further = parted.map((one, at) => (one - whole[at]!) / PASSES)
  return { once: figure(whole), further: figure(further) }
}

function lineOf(n: number, random: Random): string {
  const head = `{"uuid":"${random.uuid()}","timestamp":"2022-01-08T00:00:00.${String(n % 1e6).padStart(6, '0')}Z"`
  const line = `${head},"event":"event ${n % 40}","distinct_id":"user-${n % 9973}","properties":{"text":"`
  return `${line}${'x'.repeat(EVENT_BYTES - line.length - 3)}"}}`
}
