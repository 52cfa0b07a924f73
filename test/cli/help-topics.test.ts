import { expect, test } from 'vitest'
import { z } from 'zod'
import { TOPICS } from '../../src/cli/help/topics.ts'
import { EXITS } from '../../src/errors.ts'
import { mappingSchema } from '../../src/mapping/mapping-schema.ts'
import { VARIABLES } from '../../src/options/environment.ts'
import { width } from '../../src/text/visible.ts'
import { runCommand } from '../helpers/command.ts'

/** What each topic has a line of. docs.test.ts holds the pages against the same tables. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  common: ['-q, --quiet', '--config <file>'],
  environment: VARIABLES.map(({ name }) => name),
  'exit-codes': Object.entries(EXITS).map(([name, { code }]) => `${code} +${name}`),
  mapping: Object.keys(
    z.toJSONSchema(mappingSchema, { unrepresentable: 'any', io: 'input' }).properties!,
  ).filter((key) => key !== '$schema'),
}

test.each(Object.keys(TOPICS))('posthaul help %s', async (topic) => {
  const ran = await runCommand(['help', topic])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout.split('\n').filter((line) => width(line) > 80)).toEqual([])
  for (const name of NAMES[topic]!) expect(ran.stdout).toMatch(new RegExp(`^ +${name}(?= |$)`, 'm'))
})

test('help lists them', async () => {
  const { stdout } = await runCommand(['--help'])
  expect(stdout).toContain(`Topics: posthaul help ${Object.keys(TOPICS).join(', ')}\n`)
})

test('a word that is no topic is not taken for one', async () => {
  expect((await runCommand(['help', 'constructor'])).stdout).not.toContain('[native code]')
})
