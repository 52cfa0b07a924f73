/**
 * What a vendor's manifest says was delivered at one time for one thing that is delivered again and again: a table, a day.
 */
export interface Delivery {
  /** What is delivered again: a table's name, or a day's. */
  readonly of: string
  /** Rises with each delivery. */
  readonly order: number
  /** True when it replaces the earlier ones; false when it adds to them. */
  readonly whole: boolean
  /** The files: addresses in the vendor's bucket, or paths below the manifest. */
  readonly files: readonly string[]
  readonly table: string | undefined
  /** True while the vendor may still deliver it anew. */
  readonly unsettled?: boolean
}

/** The manifests of one vendor. */
export interface ManifestKind {
  readonly vendor: string
  /** True for the name of a manifest. */
  isNamed(name: string): boolean
  /** The folder that holds the files of the manifest: '' for the one that the user named. */
  baseOf(name: string): string
  /** The last so many names in an address must be those of the file: a bucket or a folder above may have been left out. */
  readonly tail: number
  /** What it lists. Undefined for a file that has the name and not the form. */
  deliveries(content: unknown): readonly Delivery[] | undefined
  /**
   * What becomes of a file below the base that no manifest names. `book` is the vendor's own bookkeeping. `tables`: those of
   * which the manifests name files.
   */
  unnamed(path: string, tables: ReadonlySet<string | undefined>): 'read' | 'left' | 'book'
}
