/** ⇄ Makes a report: computes it, writes its file, and stores that. */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject, PluginContext } from '../../../engine/index.ts'
import { freshKey } from '../../files/key.ts'
import { storageOf } from '../../files/open-storage.ts'
import type { Snapshot } from './content.ts'
import { fontFiles } from './font-files.ts'
import { FORMATS, type Format } from './kinds.ts'
import { objectOf, render } from './render.ts'
import { type Order, takeSnapshot } from './snapshot.ts'

/** A stored report that is not recorded yet: the values of its record by field. */
export interface Made {
  readonly key: string
  readonly size: number
  readonly fields: JsonObject
}

const NOT_DRAWN =
  'a PDF has boxes for characters that none of its fonts has: bring one by plugins: { reports: { fonts: [...] } } in app.yaml'

/** Makes the report and stores its file; on an error of the database or the storage it stores nothing. */
export async function makeReport(
  context: PluginContext,
  order: Order & { readonly format: Format },
  patience?: number,
): Promise<Made> {
  const { catalog, log, options, settings } = context
  const tmp = join(settings.dataDir, 'tmp')
  await mkdir(tmp, { recursive: true })
  const folder = await mkdtemp(join(tmp, 'report-'))
  try {
    const snapshot = await takeSnapshot(context, order, join(folder, 'rows'), patience)
    const path = join(folder, 'file')
    await render(snapshot, order.format, path, {
      pdfRows: Number(options.pdf_rows),
      desk: catalog.name,
      fonts: fontFiles(options),
      notDrawn: (characters) => log.warn({ report: snapshot.name, characters }, NOT_DRAWN),
    })
    const { size } = await stat(path)
    const key = freshKey(context, 'reports', order.format)
    const fields = await fieldsOf(context, snapshot)
    await storageOf(settings).put(key, { path, bytes: size, type: FORMATS[order.format] })
    return { key, size, fields: { ...fields, file_key: key } }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fieldsOf({ now, options }: PluginContext, snapshot: Snapshot): Promise<JsonObject> {
  const { content, count, summary } = snapshot
  const rows: JsonObject[] = []
  const most = Number(options.rows_shown)
  for await (const batch of snapshot.rows()) {
    rows.push(...batch.slice(0, most - rows.length).map((values) => objectOf(snapshot, values)))
    if (rows.length >= most) break
  }
  const columns = content.columns.map(({ key, label, type }) => ({ key, label, type }))
  return { status: 'completed', summary, columns, rows, rows_count: count, completed_at: now().toISOString() }
}

/** The file in a record: `url` is below the prefix of the application. */
export function fileOf(context: Pick<PluginContext, 'catalog'>, id: number, size: number): JsonObject {
  return { url: `${context.catalog.prefix}/reports/${id}/download`, size }
}

/** Takes back the file of a report that could not be recorded. */
export async function discard({ log, settings }: PluginContext, { key }: Made): Promise<void> {
  await storageOf(settings)
    .remove(key)
    .catch((err: unknown) => log.warn({ err, key }, 'the file of a refused report could not be removed'))
}
