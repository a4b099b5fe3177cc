/** The parts of a workbook that do not depend on its rows: its structure, and the formats of values. */
import type { ValueType } from '../content.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The format of a value, as its index among the cell formats of `styles`. */
export const STYLE: Readonly<Record<ValueType | 'header' | 'title', number>> = Object.freeze({
  text: 0,
  integer: 1,
  percent: 2,
  duration: 3,
  timestamp: 4,
  date: 5,
  header: 6,
  title: 7,
})

/** The formats in the order of STYLE: number format, font, fill. */
const FORMATS = [
  [0, 0, 0],
  [3, 0, 0],
  [10, 0, 0],
  [164, 0, 0],
  [165, 0, 0],
  [166, 0, 0],
  [0, 1, 2],
  [0, 2, 0],
] as const

const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="[h]:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font><font><b/><sz val="15"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${FORMATS.length}">${FORMATS.map(
  ([number, font, fill]) =>
    `<xf numFmtId="${number}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"${number > 0 ? ' applyNumberFormat="1"' : ''}${font > 0 ? ' applyFont="1"' : ''}${fill > 0 ? ' applyFill="1"' : ''}/>`,
).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

/** Every part but the sheets, by name; `title` is in the properties of the document. */
export function PARTS(sheets: readonly string[], title: string): readonly (readonly [string, string])[] {
  const numbered = sheets.map((name, at) => ({ name, id: at + 1 }))
  const types = numbered
    .map(({ id }) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${SHEET_ML}.worksheet+xml"/>`)
    .join('')
  const related = numbered
    .map(({ id }) => `<Relationship Id="rId${id}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${id}.xml"/>`)
    .join('')
  const listed = numbered.map(({ name, id }) => `<sheet name="${name}" sheetId="${id}" r:id="rId${id}"/>`).join('')
  const styles = `<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/>`
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_ML}.sheet.main+xml"/>${types}<Override PartName="/xl/styles.xml" ContentType="${SHEET_ML}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    ],
    [
      'docProps/core.xml',
      `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView activeTab="1"/></bookViews><sheets>${listed}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${related}${styles}</Relationships>`,
    ],
    ['xl/styles.xml', STYLES],
  ]
}

/** The layout of a sheet: widths in characters, a frozen first row, the cells with filters. */
export interface Layout {
  readonly widths: readonly number[]
  readonly frozen: boolean
  readonly filter: string | undefined
}

/** A sheet's XML before and after its rows. */
export function sheetParts({ widths, frozen, filter }: Layout): { readonly head: string; readonly tail: string } {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const view = frozen
    ? `<sheetView tabSelected="1" workbookViewId="0">${pane}</sheetView>`
    : '<sheetView workbookViewId="0"/>'
  const columns = widths
    .map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
    .join('')
  return {
    head: `${XML}<worksheet xmlns="${MAIN}"><sheetViews>${view}</sheetViews><cols>${columns}</cols><sheetData>`,
    tail: `</sheetData>${filter === undefined ? '' : `<autoFilter ref="${filter}"/>`}</worksheet>`,
  }
}
