import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/commands/check/result.ts'
import { makeHistory } from '../../src/commands/demo/demo-history.ts'
import { reportResult } from '../../src/commands/report/result.ts'
import { undoResult } from '../../src/commands/undo/result.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'

// Threads run what is built.
const INDEX = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href

test('a program checks, imports, reports and takes back, and is answered as --json says it', async () => {
  const { check, importEvents, report, transformDataset, undo, verify }: typeof import('../../src/index.ts') =
    await import(INDEX)
  const folder = testFolder()
  const sandbox = await testSandbox()
  const { POSTHOG_PROJECT_API_KEY: projectKey, POSTHOG_PERSONAL_API_KEY: personalKey } = sandboxEnv(sandbox)
  const asking = { personalKey, host: sandbox.url, env: stateHome() }
  writeFileSync(join(folder, 'raw.ndjson'), `${makeHistory(50, 3).join('\n')}\n`)
  const dataset = join(folder, 'events')
  const { counts } = await transformDataset({
    preset: 'mixpanel',
    in: join(folder, 'raw.ndjson'),
    out: dataset,
  })

  const checked = checkResult.parse(await check({ dataset }, asking))
  expect(checked.events).toBe(counts.written + counts.generated)
  expect(checked.problems.filter(({ level }) => level === 'error')).toEqual([])
  await expect(check({ dataset: join(folder, 'nothing') })).rejects.toMatchObject({ code: 'input' })

  const { ownEvents } = await importEvents({ dataset }, { ...asking, projectKey })
  const out = join(folder, 'report.html')
  await verify({ datasets: [dataset] }, asking)
  const reported = await report({ datasets: [dataset], out, env: asking.env })
  expect(reportResult.parse(reported)).toMatchObject({ equal: true })
  expect(readFileSync(out, 'utf8')).toMatch(/^<!doctype html>/i)

  const counted = undoResult.parse(await undo({ dataset }, asking))
  expect(counted).toMatchObject({ events: checked.events + ownEvents, request: null })
  const { name } = counted.project
  await expect(undo({ dataset }, { ...asking, request: `not ${name}` })).rejects.toMatchObject({
    code: 'usage',
  })
  const { request } = undoResult.parse(await undo({ dataset }, { ...asking, request: name }))
  expect(request).not.toBeNull()
  await expect(importEvents({ dataset }, { ...asking, projectKey })).rejects.toMatchObject({
    code: expect.any(String),
  })
  expect(undoResult.parse(await undo({ dataset }, { ...asking, status: true })).request).toMatchObject({
    left: null,
  })
})
