import { amplitudeVendor } from './amplitude/vendor.ts'
import { bigqueryVendor } from './bigquery/vendor.ts'
import { clickhouseVendor } from './clickhouse/vendor.ts'
import { commandVendor } from './command/vendor.ts'
import { matomoVendor } from './matomo/vendor.ts'
import { mixpanelVendor } from './mixpanel/vendor.ts'
import { mysqlVendor } from './mysql/vendor.ts'
import { postgresVendor } from './postgres/vendor.ts'
import { posthogVendor } from './posthog/vendor.ts'
import { type VendorSource, withWork } from './vendor-source.ts'

/** Every vendor that posthaul exports from, in the order of the help. */
export const VENDORS = [
  withWork(mixpanelVendor, async () => (await import('./mixpanel/mixpanel.ts')).mixpanelWork),
  withWork(amplitudeVendor, async () => (await import('./amplitude/amplitude.ts')).amplitudeWork),
  withWork(matomoVendor, async () => (await import('./matomo/matomo.ts')).matomoWork),
  withWork(posthogVendor, async () => (await import('./posthog/work.ts')).posthogWork),
  withWork(commandVendor, async () => (await import('./command/command.ts')).commandWork),
  withWork(postgresVendor, async () => (await import('./postgres/postgres.ts')).postgresWork),
  withWork(mysqlVendor, async () => (await import('./mysql/mysql.ts')).mysqlWork),
  withWork(clickhouseVendor, async () => (await import('./clickhouse/clickhouse.ts')).clickhouseWork),
  withWork(bigqueryVendor, async () => (await import('./bigquery/bigquery.ts')).bigqueryWork),
] as const

export type VendorName = (typeof VENDORS)[number]['name']

/** The row of a vendor. */
export function vendorNamed(name: string): VendorSource {
  const vendor = (VENDORS as readonly VendorSource[]).find((one) => one.name === name)
  if (vendor === undefined) throw new RangeError(`no vendor is called ${name}`)
  return vendor
}
