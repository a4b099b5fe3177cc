/** Routes in addition to those of the resource: making a report, and downloading its file. */
import { type Access, ApiError, namesTag, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'
import { readStored } from '../../files/stored.ts'
import { generate } from './generate.ts'
import { FORMATS, type Format, TYPE_WORDS } from './kinds.ts'

/** People who make reports may read these. */
const VIEW: readonly Access[] = [
  { kind: 'permission', permission: 'reports.view' },
  { kind: 'permission', permission: 'reports.generate' },
]

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/reports/generate',
    summary: 'Make a report',
    description:
      'The days are whole days in the time zone of the desk, both ends included; the last thirty if none are given. A report about many tickets is `pending` at first: read it again until it is `completed` or `failed`.',
    tag: 'reports',
    access: [{ kind: 'permission', permission: 'reports.generate' }],
    input: {
      type: { type: 'enum', values: [...TYPE_WORDS], required: true },
      format: { type: 'enum', values: Object.keys(FORMATS) },
      date_from: { type: 'date' },
      date_to: { type: 'date' },
    },
    status: 201,
    once: true,
    output: { $ref: '#/resources/reports' },
    handle: generate,
  },
  {
    method: 'GET',
    path: '/reports/{id}/download',
    summary: 'Download the file of a report',
    tag: 'reports',
    access: VIEW,
    query: {},
    produces: Object.values(FORMATS).map((type) => type.replace(/;.*/, '')),
    tagged: true,
    handle: download,
  },
]

/**
 * GET /reports/{id}/download: the file, to be saved and never shown in place; 409 before there is one, 404 when its
 * bytes are gone.
 */
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
