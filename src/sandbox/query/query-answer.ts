/** What the query endpoint answers. */
export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly types: readonly (readonly [name: string, type: string])[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
}
