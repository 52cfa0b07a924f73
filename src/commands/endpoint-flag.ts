import type { Command } from 'commander'
import { withEndpoint } from '../store/s3-location.ts'

/** Adds `--endpoint`, for commands that take a store. */
export function addEndpointFlag(command: Command): Command {
  return command.option(
    '--endpoint <url>',
    "where s3:// is, when it is not AWS: MinIO, R2, a service of one's own",
  )
}

/** A store's location with the endpoint that was given for it. */
export function placed(location: string, { endpoint }: { readonly endpoint?: unknown }): string {
  return withEndpoint(location, typeof endpoint === 'string' ? endpoint : undefined)
}
