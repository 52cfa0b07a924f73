import { VENDORS } from '../../sources/vendors.ts'
import type { CommandGroup } from '../command.ts'

/** `export`: a vendor's history as a raw dataset; a command a vendor. */
export const command: CommandGroup = {
  help: `
Each writes a raw dataset: one part per window, and manifest.json when all are
there. If it is killed or interrupted, the same command continues. Then run:
  posthaul transform --preset mixpanel --in raw/ --out events/`,
  commands: Object.fromEntries(
    VENDORS.map((vendor) => [
      vendor.name,
      {
        summary: vendor.description,
        help: vendor.help,
        options: vendor.rows,
        isReported: true,
        isDeed: true,
        work: async () => (await import('./run.ts')).exportWork(vendor),
      },
    ]),
  ),
}
