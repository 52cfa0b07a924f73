import { expect, test } from 'vitest'
import { TOPICS } from '../../src/cli/help/topics.ts'
import { width } from '../../src/text/visible.ts'
import { runCommand } from '../helpers/command.ts'

test.each(Object.keys(TOPICS))('posthaul help %s', async (topic) => {
  const ran = await runCommand(['help', topic])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout.split('\n').filter((line) => width(line) > 80)).toEqual([])
  await expect(ran.stdout).toMatchFileSnapshot(`../golden/help/help-${topic}.txt`)
})

test('help lists them', async () => {
  const { stdout } = await runCommand(['--help'])
  for (const [topic, { summary }] of Object.entries(TOPICS)) {
    expect(stdout).toMatch(new RegExp(`^  help ${topic} +${summary}$`, 'm'))
  }
})

test('a word that is no topic is not taken for one', async () => {
  expect((await runCommand(['help', 'constructor'])).stdout).not.toContain('[native code]')
})
