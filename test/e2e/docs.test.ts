import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { makeHistory } from '../../src/commands/demo/demo-history.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { hostedPrograms } from '../helpers/hosted-programs.ts'
import { blocksOf, commandLinesIn, PAGES } from '../helpers/markdown.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'

/** A line in the service's own form. */
const eventLine = (event: string, day: string, distinct_id: string, properties: object) =>
  `${JSON.stringify({ event, distinct_id, timestamp: `${day}T00:00:00Z`, properties })}\n`

const ORGANIZATIONS = ['acme', 'globex'].map((key) =>
  eventLine('$groupidentify', '2023-06-01', `$organization_${key}`, {
    $group_type: 'organization',
    $group_key: key,
    $group_set: { industry: 'retail' },
  }),
)

const MENDED = {
  line: 1,
  offset: 0,
  reason: 'distinct_id_missing',
  message: 'distinct_id is missing or blank',
  record: { event: 'signup', properties: { time: 1709280000, distinct_id: 'unknown', $insert_id: 'mended' } },
}

const TABLE = `EVENT_NAME,CREATED_AT,USER_ID,ROW_ID,ORG,AMOUNT,PAID,SHIPPED_ON,PROPS,LOADED_AT
signup,2024-03-01 10:00:00,u1,r1,acme,12.50,t,2024-03-04,"{""plan"":""pro""}",2024-04-01
`

/** The history of the demo up to here, since each day is a part and a batch of its own: 6 March 2024. */
const UNTIL = Date.UTC(2024, 2, 6) / 1000
const HISTORY = makeHistory(500, 3).filter((line) => !(Number(/"time":(\d{10})/.exec(line)?.[1]) >= UNTIL))

/** What a reader has in the folder when a page begins. */
function fill(folder: string, page: string): void {
  mkdirSync(join(folder, 'raw'))
  mkdirSync(join(folder, 'days'))
  const files = {
    'raw/history.ndjson': `${HISTORY.join('\n')}\n`,
    'events.ndjson': ORGANIZATIONS.join(''),
    'days/2023-06-02.ndjson.gz': gzipSync(eventLine('signup', '2023-06-02', 'u2', {})),
    'days/2023-06-03.ndjson.gz': gzipSync(eventLine('signup', '2023-06-03', 'u3', {})),
    'mended.rejects.ndjson': `${JSON.stringify(MENDED)}\n`,
    'warehouse.csv': TABLE,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  // A page that shows a mapping file uses it by these names.
  const mappings = blocksOf(page).filter(({ language, illustration }) => language === 'yaml' && !illustration)
  const table = mappings.find(({ text }) => /^columns:/m.test(text))
  if (mappings[0]) writeFileSync(join(folder, 'mapping.yaml'), mappings[0].text)
  if (table) writeFileSync(join(folder, 'table.yaml'), table.text)
}

const runnable = (page: string) =>
  blocksOf(page).filter(({ language, illustration }) => language === 'sh' && !illustration)
const PAGES_TO_RUN = PAGES.filter((page) => runnable(page).length > 0)

test('most pages have something to run', () => {
  expect(PAGES_TO_RUN.length).toBeGreaterThan(8)
})

test.each(PAGES_TO_RUN)('%s can be followed from top to bottom', async (page) => {
  const [sandbox, bucket] = [await testSandbox(), await started(new S3Server())]
  const isAboutGroups = runnable(page).some(({ text }) => text.includes('groups'))
  const root = testFolder()
  const folder = join(root, 'folder')
  mkdirSync(folder)
  const programs = await hostedPrograms(join(root, 'programs'))
  onTestFinished(programs.close)
  const { calls } = programs
  const env = {
    ...sandboxEnv(sandbox),
    ...bucket.env,
    PATH: `${programs.path}:${process.env.PATH}`,
  }
  fill(folder, page)
  if (isAboutGroups) {
    // The project has groups already.
    writeFileSync(join(folder, 'seed.ndjson'), ORGANIZATIONS.join(''))
    expect((await runHosted(['import', '--file', 'seed.ndjson'], env, folder)).code).toBe(0)
  }
  for (const { text, line } of runnable(page)) {
    const before = calls.length
    const script = text.replaceAll('https://minio.example.com', bucket.url)
    const ran = await promisify(execFile)('sh', ['-c', script], { cwd: folder, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    )
    const ended = calls.slice(before)
    expect(ended.length, `${page}:${line}`).toBe(commandLinesIn(text).length)
    for (const call of ended) {
      // The history has broken lines on purpose: to have rejects is what its transform says.
      const expected = /posthaul transform/.test(call) ? /^[03] / : /^0 /
      expect(call, `${page}:${line}\n${ran.stderr}`).toMatch(expected)
    }
    expect(ran.stderr, `${page}:${line}`).not.toMatch(/not found|syntax error/i)
  }
})
