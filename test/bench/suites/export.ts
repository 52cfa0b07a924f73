import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { Bench } from '../bench.ts'
import { figure, interleaved, type Row, ratios } from '../measure.ts'
import { compiled, POSTHAUL, runNode } from '../process.ts'

const DAY = 86_400_000
const DAYS = 28

/** The whole export of a project of the sandbox, against a plain loop that asks for the same events. */
export async function exportRow(bench: Bench): Promise<Row> {
  const count = bench.plan.sandbox
  bench.say(`exports of ${count.toLocaleString('en')} events`)
  const first = Math.floor(Date.now() / DAY) * DAY - 40 * DAY
  const sandbox = await startSandbox({})
  const most = Math.min(2000, count)
  for (let n = 0; n < count; n += most) {
    const batch = Array.from({ length: Math.min(most, count - n) }, (_, i) => eventOf(n + i, count, first))
    await send(sandbox, batch)
  }
  const { url, projectId, personalKey } = sandbox
  const asked = [url, String(projectId), personalKey, String(first), String(DAYS), bench.path('rows.gz')]
  const samples = await interleaved(
    {
      other: () => runNode([compiled('contenders/query-loop.js'), ...asked]),
      posthaul: () => exported(bench, sandbox, first),
    },
    bench.plan.rounds,
  )
  await sandbox.close()
  await bench.remove('rows.gz')
  const seconds = (of: keyof typeof samples) => samples[of].map((sample) => sample.seconds)
  const told = (of: keyof typeof samples) => {
    const cpu = figure(samples[of].map((sample) => sample.cpu)).median
    return `${(count / figure(seconds(of)).median / 1000).toFixed(1)}k/s, CPU ${cpu.toFixed(1)} s`
  }
  return {
    measured: `export (posthog, ${count.toLocaleString('en')} events of ${DAYS} days in the sandbox, wall)`,
    against: 'a plain loop that asks for the same events and compares no counts',
    ratio: ratios(seconds('other'), seconds('posthaul')),
    target: { atLeast: 0.5 },
    detail: `${told('posthaul')} to ${told('other')}`,
  }
}

async function exported(bench: Bench, sandbox: Sandbox, first: number) {
  const out = 'raw-posthog'
  await bench.remove(out)
  const [from, to] = [first, first + DAYS * DAY].map((at) => new Date(at).toISOString().slice(0, 10))
  const argv = ['export', 'posthog', '--from', from!, '--to', to!, '--out', bench.path(out), '--json']
  const sample = await runNode([POSTHAUL, ...argv], {
    POSTHOG_SOURCE_HOST: sandbox.url,
    POSTHOG_SOURCE_PROJECT_ID: String(sandbox.projectId),
    POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
  })
  const { dataset } = JSON.parse(sample.stdout) as { dataset: { records: number } }
  if (dataset.records !== bench.plan.sandbox) throw new Error(`it gave ${dataset.records} events`)
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
