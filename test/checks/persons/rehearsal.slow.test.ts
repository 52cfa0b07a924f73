import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { seeded, seedOf } from '../../helpers/random.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import { type Harness, rows, startHarness } from '../../sandbox/harness.ts'

const PEOPLE = 60

/** Events of the people, a second apart. */
function eventsOf(random: () => number, from: number, count: number, first: number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  return Array.from({ length: count }, (_, n) => {
    const id = `user ${Math.floor(random() * PEOPLE)}`
    const properties: Record<string, unknown> = { $geoip_disable: true }
    for (const name of ['$browser', '$os', '$current_url', 'utm_source', '$referrer'])
      if (random() < 0.5) properties[name] = pick(['a', 'b', 'c', 'd'])
    if (random() < 0.3) properties.$set = { [pick(['plan', 'age'])]: pick(['x', 5, { z: [1, '2'] }]) }
    // An anonymous id belongs to live events only where these have its person, too: see docs/persons.md.
    const isLink = first > 0 || random() < 0.1
    // The service drops a link without a person.
    if (!isLink && random() < 0.1) properties.$process_person_profile = false
    if (isLink) Object.assign(properties, { $anon_distinct_id: `${id} anonymous` })
    return {
      uuid: `00000000-0000-4000-8000-${(first + n).toString(16).padStart(12, '0')}`,
      event: isLink ? '$identify' : 'x',
      distinct_id: isLink || random() < 0.7 ? id : `${id} anonymous`,
      timestamp: new Date(from + n * 1000).toISOString(),
      properties,
    }
  })
}

/** What the project has of each person that has events, by one of its distinct ids. */
async function persons({ sandbox }: Harness): Promise<Map<string, unknown>> {
  const found = await rows(
    sandbox,
    'SELECT d.distinct_id, p.properties FROM person_distinct_ids AS d JOIN persons AS p ON p.id = d.person_id',
  )
  return new Map(found.map(([id, properties]) => [String(id), JSON.parse(String(properties))]))
}

test('history that comes late makes the persons that it would have made in time', async () => {
  const random = seeded(seedOf('persons rehearsed'))
  const history = eventsOf(random, Date.UTC(2020, 0, 1), 250, 0)
  const live = eventsOf(random, Date.now() - 86_400_000, 125, 10_000)
  const [inOrder, project] = [await startHarness(), await startHarness()]
  for (const some of [history, live]) await inOrder.send(some)
  await project.send(live)
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, history.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const env = { ...sandboxEnv(project.sandbox), POSTHAUL_ARRIVAL_WAIT: '10s' }
  const run = async (...argv: string[]) => {
    const ran = await runCommand([...argv, '--file', path], { env })
    expect(ran.code, ran.stderr).toBe(0)
    return ran
  }

  const before = await persons(project)
  await run('import', '--dry-run')
  expect(await persons(project)).toEqual(before)
  const imported = JSON.parse((await run('import', '--json')).stdout)
  expect(await persons(project)).toEqual(await persons(inOrder))
  expect(imported.persons.put_right).toMatchObject({ newer: 0, persons: imported.own_events })
  expect(imported.own_events).toBeGreaterThan(PEOPLE / 4)

  const again = await run('import', '--json')
  expect(JSON.parse(again.stdout).persons).toEqual(imported.persons)
  expect(await persons(project)).toEqual(await persons(inOrder))
  const verified = JSON.parse((await run('verify', '--json')).stdout)
  expect(verified).toMatchObject({ equal: true, events: { here: history.length + imported.own_events } })
})
