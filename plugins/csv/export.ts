/** GET /<resource>/export: the whole list as a CSV file, within the caller's reach, at the pace of who takes it. */
import { Readable } from 'node:stream'
import type { FieldDefinition, Reply, Resource, RouteContext } from '../../engine/index.ts'
import { cellOf, joinedList, keptHtml } from './cell.ts'
import { type Layout, layoutOf } from './layout.ts'

/** The parameters beside those of the list, in the words of the YAML. */
export const PARAMETERS: Readonly<Record<string, FieldDefinition>> = {
  bom: {
    type: 'boolean',
    default: true,
    description: 'Whether the file begins with a byte order mark, without which spreadsheets misread umlauts.',
  },
}

type Pieces = ReturnType<ReturnType<RouteContext['records']>['texts']>

/** The cells in place of their values: a line by `+=` would leave a string behind for each. */
function line({ columns }: Layout, row: (string | null)[]): string {
  for (let at = 0; at < columns.length; at++) {
    const value = row[at] ?? null
    const { html, list, plain } = columns[at]!
    if (value !== null && !plain) row[at] = cellOf(list ? joinedList(value) : html ? keptHtml(value) : value)
  }
  return `${row.join(',')}\n`
}

async function* chunks(
  layout: Layout,
  bom: boolean,
  first: IteratorResult<Buffer, void>,
  rest: Pieces,
): AsyncGenerator<Buffer> {
  try {
    const header = `${bom ? '\ufeff' : ''}${layout.columns.map(({ title }) => cellOf(title)).join(',')}\n`
    yield Buffer.from(header)
    let piece = first
    while (!piece.done) {
      yield piece.value
      piece = await rest.next()
    }
  } finally {
    await rest.return()
  }
}

/** Answers the export of a resource; the first rows are read before the answer begins, so that refusals are answers. */
export async function exportRecords(context: RouteContext, resource: Resource): Promise<Reply> {
  const whole = layoutOf(context.catalog, resource)!
  const layout = { ...whole, columns: whole.columns.filter(({ intake }) => intake.kind !== 'child') }
  const pieces = context.records(resource.name).texts(
    layout.columns.map(({ path }) => path),
    [...context.query].filter(([name]) => !Object.hasOwn(PARAMETERS, name)),
    (row) => line(layout, row),
  )
  const first = await pieces.next()
  const day = context.now().toISOString().slice(0, 10)
  const name = `${resource.path.split('/').at(-1)}-${day}.csv`
  return {
    headers: { 'Content-Disposition': `attachment; filename="${name}"` },
    raw: {
      type: 'text/csv; charset=utf-8',
      body: Readable.from(chunks(layout, context.parameters.bom !== false, first, pieces), {
        objectMode: false,
        highWaterMark: 65_536,
      }),
    },
  }
}
