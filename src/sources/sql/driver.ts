import { packageMissing } from '../../optional-package.ts'

/**
 * Loads the driver of a database: a peer package, which nobody needs who reads no such database. `engine` is its name to users.
 * Code `config`, with the command that installs it.
 */
export async function loadDriver<Driver>(
  name: string,
  engine: string,
  load: () => Promise<Driver>,
): Promise<Driver> {
  try {
    return await load()
  } catch (cause) {
    const title = `the driver of ${engine}`
    throw packageMissing({ name, title, among: 'peerDependencies' }, 'reading tables needs', cause)
  }
}
