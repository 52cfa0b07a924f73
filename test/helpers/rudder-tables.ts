import type { VendorRow } from './vendor-rows.ts'

/** The tables that RudderStack's loader makes of calls, each with its rows. */
export function rudderTables(calls: readonly VendorRow[]): Map<string, VendorRow[]> {
  const tables = new Map<string, VendorRow[]>()
  const add = (table: string, row: VendorRow) => tables.set(table, [...(tables.get(table) ?? []), row])
  for (const call of calls) {
    const {
      type,
      messageId,
      event,
      context,
      request_ip,
      properties,
      traits,
      integrations: _,
      rudderId: __,
      ...own
    } = call
    const top = Object.fromEntries(Object.entries(own).map(([name, value]) => [snake(name), value]))
    const row = {
      id: messageId,
      ...top,
      context_request_ip: request_ip,
      ...columnsOf(context, 'context_'),
      timestamp: call.timestamp ?? call.originalTimestamp,
    }
    const sent = { ...columnsOf(properties, ''), ...columnsOf(traits, '') }
    if (type === 'track') {
      const named = { event: snake(String(event)), event_text: event }
      add('tracks', { ...row, ...named })
      add(snake(String(event)), { ...row, ...named, ...sent })
    } else add(type === 'identify' ? 'identifies' : `${type}s`, { ...row, ...sent })
  }
  return tables
}

function columnsOf(object: unknown, prefix: string): VendorRow {
  if (object === undefined) return {}
  return Object.fromEntries(
    Object.entries(object as VendorRow).flatMap(([name, value]) => {
      const column = `${prefix}${snake(name)}`
      return value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(columnsOf(value, `${column}_`))
        : [[column, value]]
    }),
  )
}

function snake(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(' ', '_')
    .toLowerCase()
}
