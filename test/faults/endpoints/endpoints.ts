import { BUCKET } from './bucket.ts'
import { DELIVERY } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { PROJECT } from './project.ts'
import { QUERIES } from './queries.ts'
import { VENDOR_ENDPOINTS } from './vendors.ts'

/** Everything that the program asks a server. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...PROJECT,
  ...QUERIES,
  ...DELIVERY,
  ...VENDOR_ENDPOINTS,
  ...BUCKET,
]
