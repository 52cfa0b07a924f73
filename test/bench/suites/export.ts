import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { Bench } from '../bench.ts'
import { figure, interleaved, type Row, ratios } from '../measure.ts'
import { POSTHAUL, runNode } from '../process.ts'

const DAY = 86_400_000
const DAYS = 28

/** The whole export of a project of the sandbox by its downloads, against the query endpoint. */
export async function exportRow(bench: Bench): Promise<Row> {
  const count = bench.plan.sandbox
  bench.say(`exports of ${count.toLocaleString('en')} events`)
  const first = Math.floor(Date.now() / DAY) * DAY - 40 * DAY
  let shift = 0
  const sandbox = await startSandbox({ now: () => Date.now() + shift })
  // Downloads have only what was stored within a week: a batch is of a day at most.
  const most = Math.min(2000, Math.floor(count / DAYS))
  for (let n = 0; n < count; n += most) {
    const batch = Array.from({ length: Math.min(most, count - n) }, (_, i) => eventOf(n + i, count, first))
    shift = Date.parse(batch.at(-1)!.timestamp) - Date.now()
    await send(sandbox, batch)
  }
  // Ahead of the clock of the export, so that it need not wait until the last week has settled.
  shift = 120_000
  const contenders = {
    downloads: () => exported(bench, sandbox, first, 'downloads'),
    query: () => exported(bench, sandbox, first, 'query'),
  }
  const samples = await interleaved(contenders, bench.plan.rounds)
  await sandbox.close()
  const seconds = (of: keyof typeof samples) => samples[of].map((sample) => sample.seconds)
  const told = (of: keyof typeof samples) => {
    const cpu = figure(samples[of].map((sample) => sample.cpu)).median
    const megabytes = figure(samples[of].map((sample) => sample.megabytes)).median
    return `${(count / figure(seconds(of)).median / 1000).toFixed(1)}k/s, CPU ${cpu.toFixed(1)} s, ${Math.round(megabytes)} MB`
  }
  return {
    measured: `export by downloads (posthog, ${count.toLocaleString('en')} events of ${DAYS} days in the sandbox, wall)`,
    against: 'export by the query endpoint, both with the comparison of counts',
    ratio: ratios(seconds('query'), seconds('downloads')),
    target: { atLeast: 1 },
    detail: `${told('downloads')} to ${told('query')}`,
  }
}

async function exported(bench: Bench, sandbox: Sandbox, first: number, via: string) {
  const out = `raw-${via}`
  await bench.remove(out)
  const [from, to] = [first, first + DAYS * DAY].map((at) => new Date(at).toISOString().slice(0, 10))
  const argv = ['export', 'posthog', '--from', from!, '--to', to!, '--out', bench.path(out), '--json']
  const sample = await runNode([POSTHAUL, ...argv, '--via', via], {
    POSTHOG_SOURCE_HOST: sandbox.url,
    POSTHOG_SOURCE_PROJECT_ID: String(sandbox.projectId),
    POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
  })
  const { dataset } = JSON.parse(sample.stdout) as { dataset: { records: number } }
  if (dataset.records !== bench.plan.sandbox) throw new Error(`${via} gave ${dataset.records} events`)
  return sample
}

function eventOf(n: number, count: number, first: number) {
  return {
    uuid: `018cc251-f400-7abc-8def-${n.toString(16).padStart(12, '0')}`,
    event: `event ${n % 50}`,
    distinct_id: `user-${n % 20_011}`,
    timestamp: new Date(first + Math.floor((n / count) * DAYS * DAY)).toISOString(),
    properties: { n, plan: 'pro', url: `https://shop.example/${n % 1000}?q=ü`, list: [1, { a: n % 7 }] },
  }
}

async function send({ url, projectKey }: Sandbox, batch: readonly unknown[]): Promise<void> {
  const answer = await fetch(`${url}/batch/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: projectKey, historical_migration: true, batch }),
  })
  if (answer.status !== 200) throw new Error(`the sandbox answered ${answer.status}`)
}
