import type { MixpanelEvent } from './mixpanel.ts'

/**
 * Mixpanel's people: an event that has a device and a user makes them one (docs.mixpanel.com/docs/tracking-methods/
 * id-management). The key that is answered for an event is the same for all ids of a person.
 */
export function peopleOf(events: readonly MixpanelEvent[]): (event: MixpanelEvent) => string {
  const parents = new Map<string, string>()
  const root = (id: string): string => {
    let top = id
    while (parents.has(top)) top = parents.get(top)!
    // The way up is shortened, or a long chain of merges would be walked for each event.
    for (let at = id; at !== top; ) {
      const next = parents.get(at)!
      parents.set(at, top)
      at = next
    }
    return top
  }
  for (const event of events) {
    const [first, ...others] = idsOf(event)
    for (const other of others) {
      const [a, b] = [root(first!), root(other)]
      if (a !== b) parents.set(b, a)
    }
  }
  return (event) => root(idsOf(event)[0] ?? '')
}

function idsOf({ properties }: MixpanelEvent): string[] {
  const { $user_id: user, $device_id: device, distinct_id: id } = properties
  return [user, device === undefined ? undefined : `$device:${String(device)}`, id]
    .filter((one) => one !== undefined && one !== null && one !== '')
    .map(String)
}
