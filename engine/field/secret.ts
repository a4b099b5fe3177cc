/** The field type `secret`: text that goes in and never comes out again. */
import { boundsMistakes, decodeText, numberOption } from './characters.ts'
import type { FieldType } from './field-type.ts'
import { MIN, maxOption } from './string.ts'

const MOST = 255
const LONGEST = 4_000

export const secret: FieldType = {
  name: 'secret',
  description: 'Text that is written and never answered, such as a password; not trimmed.',
  options: {
    min: MIN,
    max: maxOption(LONGEST, MOST),
    protect: {
      enum: ['sealed', 'hashed', 'as_sent'],
      description:
        "How it is kept: `sealed` by APP_SECRET, which a plugin can open; `hashed`, which one can only compare; `as_sent`, for what is a hash already. `sealed` if absent; `as_sent` in tables that are somebody else's.",
      examples: ['hashed'],
    },
  },
  // What is stored is longer than what was sent.
  column: () => 'text',
  schema: (options) => ({
    type: 'string',
    writeOnly: true,
    ...(options.own.min === undefined ? {} : { minLength: options.own.min }),
    maxLength: numberOption(options, 'max', MOST),
  }),
  wire: 'string',
  operators: [],
  sortable: false,
  hidden: true,
  verbatim: true,
  decode: (value, options) => decodeText(value, numberOption(options, 'min', 1), numberOption(options, 'max', MOST)),
  parse: () => ({ code: 'invalid', error: 'cannot be filtered by' }),
  mistakes: (options) => boundsMistakes(options, 'min', 'max', MOST),
}
