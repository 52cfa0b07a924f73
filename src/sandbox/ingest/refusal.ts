/** Why an ingestion request was refused as a whole: the status and the plain text that the service answers. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}
