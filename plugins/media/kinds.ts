/** The accepted types of files: the ends of their names, and the beginnings of their contents. */

/** The check of a file beyond its first bytes. */
export type Content = 'binary' | 'text' | 'json' | 'zip' | 'ole'

/** One type of file. */
export interface Kind {
  readonly mime: string
  readonly extensions: readonly string[]
  readonly content: Content
  /** Alternatives for the beginning, in Latin-1; `.` is any byte. Texts have none. */
  readonly magic: readonly string[]
  /** An entry that the archive or document must have, for `zip` and `ole`. */
  readonly inside?: string
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'
const ZIP = 'PK\x03\x04'
const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'

function binary(mime: string, extensions: readonly string[], ...magic: readonly string[]): Kind {
  return { mime, extensions, content: 'binary', magic }
}

function text(mime: string, extensions: readonly string[], content: Content = 'text'): Kind {
  return { mime, extensions, content, magic: [] }
}

function office(mime: string, extension: string, content: Content, inside: string): Kind {
  return { mime, extensions: [extension], content, magic: [content === 'ole' ? OLE : ZIP], inside }
}

/** All types that an application may allow; others cannot be recognised, or are dangerous. */
export const KINDS: readonly Kind[] = Object.freeze([
  binary('image/png', ['png'], '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  binary('image/jpeg', ['jpg', 'jpeg'], '\xff\xd8\xff'),
  binary('image/gif', ['gif'], 'GIF87a', 'GIF89a'),
  binary('image/webp', ['webp'], 'RIFF....WEBP'),
  binary('image/heic', ['heic'], '....ftypheic', '....ftypheix', '....ftypmif1'),
  binary('image/bmp', ['bmp'], 'BM....\0\0\0\0'),
  binary('image/tiff', ['tif', 'tiff'], 'II*\0', 'MM\0*'),
  binary('application/pdf', ['pdf'], '%PDF-1.', '%PDF-2.'),
  binary('video/mp4', ['mp4'], '....ftypisom', '....ftypiso2', '....ftypmp4', '....ftypavc1', '....ftypM4V'),
  binary('video/quicktime', ['mov'], '....ftypqt  '),
  binary('video/webm', ['webm'], '\x1a\x45\xdf\xa3'),
  binary('audio/mpeg', ['mp3'], 'ID3', '\xff\xfb', '\xff\xf3', '\xff\xf2'),
  binary('audio/mp4', ['m4a'], '....ftypM4A', '....ftypmp42'),
  binary('audio/wav', ['wav'], 'RIFF....WAVE'),
  binary('audio/ogg', ['ogg'], 'OggS\0'),
  office(`${OPEN_XML}wordprocessingml.document`, 'docx', 'zip', 'word/document.xml'),
  office(`${OPEN_XML}spreadsheetml.sheet`, 'xlsx', 'zip', 'xl/workbook.xml'),
  office(`${OPEN_XML}presentationml.presentation`, 'pptx', 'zip', 'ppt/presentation.xml'),
  office(`${OPEN_DOCUMENT}text`, 'odt', 'zip', 'content.xml'),
  office(`${OPEN_DOCUMENT}spreadsheet`, 'ods', 'zip', 'content.xml'),
  office(`${OPEN_DOCUMENT}presentation`, 'odp', 'zip', 'content.xml'),
  office('application/msword', 'doc', 'ole', 'WordDocument'),
  office('application/vnd.ms-excel', 'xls', 'ole', 'Workbook'),
  office('application/vnd.ms-powerpoint', 'ppt', 'ole', 'PowerPoint Document'),
  text('text/plain', ['txt', 'log']),
  text('text/csv', ['csv']),
  text('text/markdown', ['md']),
  text('application/json', ['json'], 'json'),
  office('application/zip', 'zip', 'zip', ''),
])

/** The extensions that are accepted by default: all but bare archives, which may hold anything. */
export const USUAL: readonly string[] = KINDS.flatMap(({ extensions }) => extensions).filter((one) => one !== 'zip')

/** The extension of a file name, in lower case, without the dot; empty without one. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** The type of an extension, among those allowed. */
export function kindOf(extension: string, allowed: readonly string[]): Kind | undefined {
  return allowed.includes(extension) ? KINDS.find(({ extensions }) => extensions.includes(extension)) : undefined
}

/** Whether the first bytes, in Latin-1, are those of the type. */
export function beginsAs(kind: Kind, head: string): boolean {
  return kind.magic.some((magic) => [...magic].every((one, at) => one === '.' || head[at] === one))
}
