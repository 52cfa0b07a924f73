import { PosthaulError } from '../errors.ts'

export interface S3Location {
  readonly bucket: string
  /** Without a slash at either end; '' for the whole bucket. */
  readonly prefix: string
  /** The address of a service other than AWS. */
  readonly endpoint: string | undefined
}

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?]*))?(?:\?endpoint=(.+))?$/i

/** True for addresses of this kind, well formed or not. */
export function isS3(location: string): boolean {
  return /^s3:\/\//i.test(location)
}

/** Reads `s3://bucket/prefix`, with `?endpoint=<url>` at its end where the bucket is not at AWS. */
export function parseS3(location: string): S3Location {
  const match = S3.exec(location)
  const segments = (match?.[2] ?? '').split('/').filter((segment) => segment !== '')
  if (!match || segments.some((segment) => segment === '..' || segment === '.')) {
    throw new PosthaulError(`${location} is no address in a bucket`, {
      code: 'usage',
      hint: 'write it like s3://bucket/prefix',
    })
  }
  return {
    bucket: match[1]!,
    prefix: segments.join('/'),
    endpoint: match[3] && parseEndpoint(match[3], '?endpoint='),
  }
}

/** The folder beside a location, of the same name and a suffix; an endpoint stays at the end. Folders on this machine too. */
export function besideLocation(location: string, suffix: string): string {
  const cut = isS3(location) ? location.indexOf('?') : -1
  const [folder, query] = cut === -1 ? [location, ''] : [location.slice(0, cut), location.slice(cut)]
  return `${folder.replace(/\/+$/, '')}${suffix}/${query}`
}

/** A file's address in a location, in a form that `splitAddress` takes apart. */
export function s3Address({ bucket, prefix, endpoint }: S3Location, name: string): string {
  const path = prefix === '' ? name : `${prefix}/${name}`
  return `s3://${bucket}/${path}${endpoint === undefined ? '' : `?endpoint=${endpoint}`}`
}

/** An address's location (the folder it lies in) and the file's name there. */
export function splitAddress(address: string): { readonly location: string; readonly name: string } {
  const { bucket, prefix, endpoint } = parseS3(address)
  const cut = prefix.lastIndexOf('/')
  const folder = cut === -1 ? '' : prefix.slice(0, cut)
  return { location: s3Address({ bucket, prefix: '', endpoint }, folder), name: prefix.slice(cut + 1) }
}

/** Checks the address of a storage service. PosthaulError `usage`, which says where it was read, when it is none. */
export function parseEndpoint(endpoint: string, from: string): string {
  let url: URL | undefined
  try {
    url = new URL(endpoint)
  } catch {
    url = undefined
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new PosthaulError(`${from} is not the address of a storage service`, {
      code: 'usage',
      hint: 'write it like https://minio.example.com:9000',
    })
  }
  return url.href.replace(/\/+$/, '')
}
