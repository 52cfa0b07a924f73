import { PRESET_NAMES, PRESETS } from '../../presets/index.ts'
import { describe } from '../command.ts'
import { TRANSFORM_ROWS } from '../transform-options.ts'
import { withLittleGarbage } from './little-garbage.ts'

const NAME_WIDTH = Math.max(...PRESET_NAMES.map((name) => name.length)) + 1

const HELP = `
Presets:
${PRESETS.map(({ name, title, reads }) => `  ${name.padEnd(NAME_WIDTH)} ${title}: ${reads}`).join('\n')}

Examples:
  posthaul transform --preset mixpanel --in raw/ --out events/
  posthaul transform --preset amplitude --in '*.json.gz' --out events/ --dry-run
  posthaul transform --map mapping.yaml --in warehouse.csv --out events/

The dataset in --out has one file per UTC day, rejects.ndjson, manifest.json,
arrival.ndjson, by which verify proves that all of it arrived, and links.ndjson,
which tells later windows (--after) what is known of ids and groups.
If it is killed or interrupted, the same command continues where it was.`

/** `transform`: records into a dataset of events. */
export const command = describe({
  help: HELP,
  options: TRANSFORM_ROWS,
  isReported: true,
  isDeed: true,
  tellsDry: true,
  work: async () => {
    const { schema, lines, exit, run } = await import('./run.ts')
    return { schema, lines, exit, run: (call, world) => withLittleGarbage(run(call, world)) }
  },
})
