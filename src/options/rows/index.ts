import type { Row } from '../row.ts'
import * as datasets from './dataset-rows.ts'
import * as exports from './export-rows.ts'
import * as imports from './import-rows.ts'
import * as output from './output-rows.ts'
import * as run from './run-rows.ts'
import * as service from './service-rows.ts'
import * as telemetry from './telemetry-rows.ts'
import * as transform from './transform-rows.ts'
import * as undo from './verify-rows.ts'
import * as verify from './verify-rows.ts'

/** Every option of every command. */
export const ROWS: readonly Row[] = [
  service,
  datasets,
  transform,
  undo,
  imports,
  exports,
  output,
  run,
  telemetry,
  verify,
].flatMap((rows): Row[] => Object.values(rows))
