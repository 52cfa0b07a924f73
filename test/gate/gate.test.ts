import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS, pathOf } from '../helpers/commands.ts'
import { writeCalls, writeHistory } from '../helpers/histories.ts'
import { allWalks, deliver } from '../helpers/walks.ts'
import { listingOf } from './listing.ts'
import { openStage, type Stage } from './stage.ts'

/*
 * What a change of structure must leave as it is, to the byte: each file that is written, each output on stdout, each
 * request. `lists/` has a list for each scene. A wanted change is a line of a list, in a commit of its own:
 * `npx vitest run --project gate -u`.
 */
const FAST = ['--approved', '--max-events-per-minute', '1000000']
const EITHER = [0, 3]

interface Scene {
  readonly name: string
  play(stage: Stage): Promise<void>
}

async function finish(stage: Stage, way: readonly string[] = []): Promise<void> {
  await stage.run(['check', 'events', '--json'], EITHER)
  await stage.run(['import', '--dataset', 'events', '--json', ...FAST, ...way], EITHER)
  await stage.run(['status', 'events.checkpoint.json', '--json'], EITHER)
  await stage.run(['verify', 'events', '--json'], EITHER)
}

const walks = allWalks().map(
  (walk, n): Scene => ({
    name: `walk-${String(n + 1).padStart(2, '0')}-${walk.vendor}`,
    async play(stage) {
      const delivered = join(stage.folder, 'delivered')
      mkdirSync(delivered)
      await deliver(walk.vendor, delivered)
      const inputs = walk.in.flatMap((name) => ['--in', `delivered/${name}`])
      const args = walk.args.map((word) => word.replace('{walk}', 'delivered'))
      await stage.run(['transform', ...inputs, ...args, '--out', 'events', '--json'], EITHER)
      await stage.run(
        ['init', ...walk.in.map((name) => `delivered/${name}`), '--out', 'mapping.yaml'],
        [...EITHER, 2],
      )
      await finish(stage)
    },
  }),
)

function histories(stage: Stage): void {
  const folder = join(stage.folder, 'delivered')
  writeHistory(folder, 7, { files: 3 })
  // A plan knows its inputs by their times.
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000)
}

const TRANSFORM = ['--preset', 'mixpanel', '--in', 'delivered', '--out', 'events']

const jobs: readonly Scene[] = [
  ...(['batch', 'v1'] as const).map(
    (route): Scene => ({
      name: `import-${route}`,
      async play(stage) {
        histories(stage)
        await stage.run(['transform', ...TRANSFORM, '--dry-run'], EITHER)
        await stage.run(['transform', ...TRANSFORM, '--gzip'], EITHER)
        await finish(stage, ['--via', route])
        await stage.run(['report', 'events', '--out', 'report.html'], EITHER)
        await stage.run(['report', 'events', '--json', '--out', 'again.html'], EITHER)
        await stage.run(['explain', 'delivered/part-00.ndjson', '--line', '3', '--preset', 'mixpanel'])
        await stage.run([
          ...['explain', 'delivered/part-00.ndjson', '--line', '4', '--preset', 'mixpanel', '--json'],
        ])
        await stage.run(['init', 'delivered/part-00.ndjson', '--out', 'mapping.yaml'], [...EITHER, 2])
        await stage.run(['doctor', '--json'], EITHER)
      },
    }),
  ),
  {
    name: 'import-file',
    async play(stage) {
      histories(stage)
      await stage.run(['transform', ...TRANSFORM], EITHER)
      const days = readFileSync(join(stage.folder, 'events/manifest.json'), 'utf8').match(/[\w-]+\.ndjson/g)
      const lines = (days ?? []).map((name) => readFileSync(join(stage.folder, 'events', name), 'utf8'))
      writeFileSync(join(stage.folder, 'events.ndjson'), lines.join(''))
      const file = ['import', '--file', 'events.ndjson', '--json', ...FAST, '--accept', 'repeated_uuids']
      await stage.run(file, EITHER)
      await stage.run(['status', 'events.ndjson.checkpoint.json', '--json'], EITHER)
    },
  },
  {
    name: 'groups',
    async play(stage) {
      writeCalls(join(stage.folder, 'delivered'), 3)
      const way = ['--preset', 'segment', '--in', 'delivered', '--out', 'events']
      await stage.run(['transform', ...way, '--json'], EITHER)
      await finish(stage)
      await stage.run(['groups', 'types'])
      await stage.run(['groups', 'list', '--type', '0', '--format', 'ndjson'])
      await stage.run(['groups', 'find', '--type', '0', '--key', 'group-3', '--format', 'json'])
      await stage.run(['groups', 'export', '--all-types', '--out', 'groups'])
    },
  },
  {
    name: 'help',
    async play(stage) {
      for (const name of COMMANDS) await stage.run([...pathOf(name), '--help'])
      for (const topic of ['environment', 'exit-codes', 'mapping']) await stage.run(['help', topic])
      await stage.run(['completion', 'bash'])
    },
  },
]

test.each([...walks, ...jobs])('$name', async ({ name, play }) => {
  const stage = await openStage()
  await play(stage)
  await expect(listingOf(stage)).toMatchFileSnapshot(`lists/${name}.txt`)
})
