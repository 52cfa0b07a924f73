import type { Io } from '../../io.ts'
import { pingAddress } from '../../options/index.ts'
import type { PingAddresses } from '../../telemetry/pings.ts'
import type { LoadedMigration } from './load.ts'

/** What the file says of who hears of the run, where no option does. */
export async function notify(loaded: LoadedMigration, { telemetry }: Io): Promise<void> {
  const { log_format: format, log_file: log, metrics_file: metrics } = loaded.migration.notifications
  await telemetry.add({
    format,
    logFile: log === undefined ? undefined : loaded.at(log),
    metricsFile: metrics === undefined ? undefined : loaded.at(metrics),
  })
  await telemetry.ping(pingsOf(loaded))
}

function pingsOf({ migration }: LoadedMigration): PingAddresses {
  const { healthcheck, webhook } = migration.notifications
  return {
    healthcheck:
      healthcheck === undefined ? undefined : pingAddress(healthcheck, 'notifications.healthcheck'),
    webhook: webhook === undefined ? undefined : pingAddress(webhook, 'notifications.webhook'),
  }
}
