/** GET /<resource>/export: the whole list as a CSV file, as far as the caller may see it, at the pace of the client. */
import { Readable } from 'node:stream'
import type { FieldDefinition, Reply, Resource, RouteContext } from '../../engine/index.ts'
import { cellOf, joinedList, keptHtml } from './cell.ts'
import { type Layout, layoutOf } from './columns.ts'

/** The parameters in addition to those of the list, in the words of the YAML. */
export const PARAMETERS: Readonly<Record<string, FieldDefinition>> = {
  bom: {
    type: 'boolean',
    default: true,
    description: 'Whether the file begins with a byte order mark, without which spreadsheets misread umlauts.',
  },
}

type Pieces = ReturnType<ReturnType<RouteContext['records']>['texts']>

/** Replaces values by cells in place: building a line by `+=` would leave a string for each. */
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

/** The export of a resource; reads the first rows before the answer begins, so that refusals are answers. */
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
