/** An event as the store keeps it. Times are microseconds since the epoch. */
export interface StoredEvent {
  readonly uuid: bigint
  readonly event: string
  readonly distinctId: string
  readonly timestamp: bigint
  /** JSON text, with `$set` and `$set_once` inside. */
  readonly properties: string
  /** JSON text of the properties as the storage of JSON columns gives them back; null where that changes nothing. */
  readonly cleaned: string | null
  /** The same once the temporary properties are gone; null where the event has none. */
  readonly lasting: string | null
  /** A JSON array of the paths of nulls; null where there is none. */
  readonly nulls: string | null
  /** The clicked elements, which are not among the properties. */
  readonly elementsChain: string
  readonly historical: boolean
  readonly receivedAt: bigint
  /** False if the event asks not to make or change a person. */
  readonly profile: boolean
  /** True if its properties hold what is to be copied to the person, and `$set` and `$set_once` do not have it yet. */
  readonly copies: boolean
  readonly set: string | null
  readonly setOnce: string | null
  /** A JSON array of names. */
  readonly unset: string | null
  /** The key of the group of each type, by the type's index; null where it has none. */
  readonly groups: readonly (string | null)[]
  /** The id that an identity event joins to its distinct_id. */
  readonly joins: string | null
}
