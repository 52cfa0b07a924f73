/** What is wrong with Avro data. `at` is a byte of the block, or of the file, that is being read. */
export class AvroFault extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.name = 'AvroFault'
    this.at = at
  }
}
