/** GET /media/{id}/download: the bytes of a file that the caller may see, to be saved and never shown in place. */
import { ApiError, namesTag, type Reply, type RouteContext } from '../../engine/index.ts'
import { readStored } from '../files/stored.ts'
import { dispositionOf } from './name.ts'

/** Answers the file as it is stored; 404 also when a record's bytes are gone. */
export async function download(context: RouteContext): Promise<Reply> {
  const { headers, log, params } = context
  const record = await context.records('media').get(params.id ?? '')
  const key = String(record.path)
  // A key never gets another content, so it serves as the version.
  const etag = key.replace(/^.*\//, '').replace(/\..*$/, '')
  const unchanged = namesTag(headers['if-none-match'] ?? '', etag)
  const body = unchanged ? '' : await readStored(context, key)
  if (body === undefined) {
    log.error({ key }, 'a stored file is gone')
    throw new ApiError('record_not_found', { label: 'File' })
  }
  return {
    etag,
    headers: {
      'Content-Disposition': dispositionOf(String(record.name)),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...(unchanged ? {} : { 'Content-Length': String(record.size) }),
    },
    raw: { type: String(record.mime_type), body },
  }
}
