import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'

test('the studio waits, and ends by SIGINT with exit code 0 and no residue', async () => {
  const folder = testFolder()
  const input = join(folder, 'raw.ndjson')
  writeFileSync(input, '{"event":"a","properties":{"time":1709280000,"distinct_id":"u","$insert_id":"1"}}\n')
  const argv = ['studio', '--in', input, '--preset', 'mixpanel']
  const cli = startCli(argv, { TMPDIR: folder }, folder)
  const { stdout, stderr } = await exits(
    0,
    signalWhen(cli, 'SIGINT', () => cli.printed().includes('stop with Ctrl-C')),
  )
  const [, token] = /^http:\/\/127\.0\.0\.1:\d+\/([\w-]{32,})\/\n$/.exec(stdout)!
  expect(stderr).not.toContain(token)
  expect(stderr).toContain('1 record of 1 file, all there are')
  expect(readdirSync(folder).sort()).toEqual(['raw.ndjson'])
})
