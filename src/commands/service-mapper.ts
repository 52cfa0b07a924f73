import { Mapper } from '../mapping/mapper.ts'
import { NO_MAPPING } from '../mapping/mapping.ts'
import { posthog } from '../mapping/presets/posthog.ts'
import { switchesOf } from '../mapping/switches.ts'
import { VERSION } from '../version.ts'

/** The choices of a user that bear on the service's own events. */
export interface ServiceMapperOptions {
  readonly groupEventName: string
  readonly bigIntegersAsStrings: boolean
  readonly switches: readonly string[]
}

/** The mapper for files of the service's own events: the rules of `transform --preset posthog`, by today's clock. */
export function serviceMapper({
  groupEventName,
  bigIntegersAsStrings,
  switches,
}: ServiceMapperOptions): Mapper {
  return new Mapper(
    posthog,
    { ...NO_MAPPING, bigIntegersAsStrings },
    {
      now: Date.now() * 1000,
      version: VERSION,
      switches: switchesOf(switches, 'posthog', posthog),
      groupEventName,
    },
  )
}
