import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { oddServer } from '../helpers/odd-server.ts'

const KEY = 'phc_aKeyThatNoFileMayHoldAndNobodyMayRead'

/** Waits until it is time, or the process that it waits for has ended. */
async function until(isTime: () => boolean, ended: Promise<unknown>): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isTime() && !isOver) await new Promise((resolve) => setTimeout(resolve, 20))
}

test('an import in an outage tells it, goes on when it is over, and shows no key', async () => {
  let isUp = false
  const service = await oddServer(() =>
    isUp
      ? { body: { status: 'Ok' } }
      : { status: 503, headers: { 'retry-after': '1' }, body: `no ${KEY} today` },
  )
  onTestFinished(() => service.close())
  const folder = testFolder()
  const events = Array.from({ length: 40 }, (_, n) => makeEvent(n, { ids: 5 }))
  await writeDataset(join(folder, 'events'), [{ file: '2024-01-01.ndjson', events }])
  const env = { POSTHOG_PROJECT_API_KEY: KEY, POSTHOG_INGEST_HOST: service.url }
  const of = ['--dataset', 'events']
  const importing = startCli(
    ['import', ...of, '--accept', 'project_unasked', '--via', 'batch', '--debug'],
    env,
    folder,
  )
  await until(
    () =>
      existsSync(join(folder, 'events.checkpoint.json')) &&
      service.asked.some(({ path }) => path.startsWith('/batch/')),
    importing.ended,
  )
  isUp = true
  const ended = await exits(0, importing.ended)
  expect(ended.stderr).toMatch(
    /VERBOSE import: a batch of 40 events \(.*\) is settled in lane 1: 0 rejected\n/,
  )
  expect(ended.stderr).toMatch(/DEBUG import: POST 127\S+\/batch\/: 503, \d+ B out, \d+ B in, \d+ ms\n/)
  expect(ended.stderr).toMatch(/DEBUG import: POST 127\S+\/batch\/: 200, .* ms, attempt \d+\n/)
  const status = await runHosted(['status', ...of, '--json'], {}, folder)
  expect(JSON.parse(status.stdout)).toMatchObject({ running: false, share: 1 })
  expect(status.stdout + ended.stdout + ended.stderr).not.toContain(KEY)
})
