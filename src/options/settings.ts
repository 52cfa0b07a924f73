import * as imports from './import-rows.ts'
import type { Row } from './row.ts'
import * as service from './service-rows.ts'
import * as telemetry from './telemetry-rows.ts'
import * as transform from './transform-rows.ts'
import * as verify from './verify-rows.ts'

/** Every option that the configuration file or the environment has, whatever command is run. */
export const SETTINGS: readonly Row[] = [service, transform, imports, telemetry, verify]
  .flatMap((rows): Row[] => Object.values(rows))
  .filter(({ config, env }) => config !== undefined || env !== undefined)
