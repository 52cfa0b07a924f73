import type { MapperOptions } from '../../src/mapping/mapped.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { posthog } from '../../src/presets/posthog.ts'
import type { TestEvent } from './events.ts'

/** The properties that every event gets if it does not have them. */
export const GIVEN = {
  $geoip_disable: true,
  $lib: 'posthaul',
  $lib_version: '1.2.3',
  analytics_source: 'posthog',
}

/** An event as the mapper below makes it of one in the service's own form. */
export function mapped(event: TestEvent): TestEvent {
  return { ...event, properties: { ...event.properties, ...GIVEN } }
}

/** What mappers of tests are told, as of 2026. */
export const AT_2026: MapperOptions = {
  now: Date.UTC(2026, 0, 1) * 1000,
  version: '9.9.9',
  switches: new Set(),
  importId: null,
}

/** The mapper that `import --file` puts its lines through, with a clock and a version of its own. */
export function mapperForFiles(options: Partial<MapperOptions> = {}, mapping: Partial<Mapping> = {}): Mapper {
  return new Mapper(posthog, { ...NO_MAPPING, ...mapping }, { ...AT_2026, version: '1.2.3', ...options })
}
