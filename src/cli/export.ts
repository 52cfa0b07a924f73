import { runVendorExport } from '../jobs/export/run.ts'
import { VENDORS } from '../sources/index.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  for (const vendor of VENDORS) {
    const own = command.command(vendor.name).description(vendor.description)
    own.addHelpText('after', vendor.help)
    useReported(own, vendor.rows, { io, exit }, ({ values }) => runVendorExport(vendor, values, io))
  }
  command.addHelpText('after', HELP)
}

const HELP = `
Each writes a raw dataset: one part per window, and manifest.json when all are
there. If it is killed or interrupted, the same command continues. Then run:
  posthaul transform --preset mixpanel --in raw/ --out events/`
