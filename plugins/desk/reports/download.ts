/** GET /reports/{id}/download: the file of a report, to be saved and never shown in place. */
import { ApiError, namesTag, type Reply, type RouteContext } from '../../../engine/index.ts'
import { readStored } from '../../files/stored.ts'
import { FORMATS, type Format } from './kinds.ts'

/** Answers the file as it comes; 409 while there is none, 404 when the bytes are gone. */
export async function download(context: RouteContext): Promise<Reply> {
  const { headers, model, params } = context
  const report = await context.records('reports').get(params.id ?? '')
  if (report.status === 'pending') throw new ApiError('conflict', { message: 'The report is still being made' })
  if (report.status === 'failed') throw new ApiError('conflict', { message: 'The report could not be made' })
  const stored = await model('reports').query().findById(Number(report.id)).select('file_key')
  if (typeof stored?.file_key !== 'string') throw new ApiError('record_not_found', { label: 'File' })
  const key = stored.file_key
  const etag = key.replace(/^.*\//, '').replace(/\..*$/, '')
  const format = report.format as Format
  const name = `${report.type}-${report.date_from}-${report.date_to}.${format}`
  const said = {
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
  }
  if (namesTag(headers['if-none-match'] ?? '', etag))
    return { etag, headers: said, raw: { type: FORMATS[format], body: '' } }
  const body = await readStored(context, key)
  if (body === undefined) {
    context.log.error({ key }, 'the file of a report is gone')
    throw new ApiError('record_not_found', { label: 'File' })
  }
  const { size } = report.file as { readonly size: number }
  return { etag, headers: { ...said, 'Content-Length': String(size) }, raw: { type: FORMATS[format], body } }
}
