/** Words of people in headers of mails: encoded where they look like encoded words, so that they are read as they were written. */

/** Bytes of one word: 75 characters at most, of which twelve are `=?UTF-8?B??=` (RFC 2047, section 2). */
const WORD_BYTES = 45

/** A text for a header without structure; other texts are encoded by nodemailer where they must be. */
export function headerText(text: string): string {
  if (!text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  // A character may not be divided between two words (section 5).
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one).toString('base64')}?=`).join(' ')
}
