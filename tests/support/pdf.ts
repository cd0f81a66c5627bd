/** PDFs made by hand: lines of Helvetica on each page. */

export interface PdfOptions {
  /** As if a password were needed. */
  locked?: boolean;
  /** Instead of what draws the lines, with the filter that decodes it. */
  content?: Buffer;
  filter?: string;
  /** Text that each letter `A` of the lines means. */
  meaningOfA?: string;
}

/** In Latin-1; a line may not have parentheses or backslashes that are not escaped. */
export function pdf(
  pages: readonly (readonly string[])[],
  { locked = false, content, filter = '', meaningOfA }: PdfOptions = {},
): Buffer {
  const numberOf = (page: number): number => 4 + 2 * page;
  const hex = Buffer.from(meaningOfA ?? '', 'utf16le')
    .swap16()
    .toString('hex');
  const map = `1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <${hex}> endbfchar`;
  const mapNumber = numberOf(pages.length);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, page) => `${numberOf(page)} 0 R`).join(' ')}]>>`,
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding${hex === '' ? '' : `/ToUnicode ${mapNumber} 0 R`}>>`,
    ...pages.flatMap((lines, page) => {
      const drawn = `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
      const stream = content?.toString('latin1') ?? drawn;
      const resources = '/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>';
      return [
        `<</Type/Page/Parent 2 0 R${resources}/Contents ${numberOf(page) + 1} 0 R>>`,
        `<</Length ${stream.length}${filter}>>stream\n${stream}\nendstream`,
      ];
    }),
    ...(hex === '' ? [] : [`<</Length ${map.length}>>stream\n${map}\nendstream`]),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = String(text.length).padStart(10, '0');
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${place} 00000 n \n`;
  });
  const zeros = '00'.repeat(32);
  const lock = locked ? `/Encrypt<</Filter/Standard/V 1/R 2/O<${zeros}>/U<${zeros}>/P -4>>/ID[<00><00>]` : '';
  const size = objects.length + 1;
  const end = `trailer<</Size ${size}/Root 1 0 R${lock}>>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}${end}`, 'latin1');
}
