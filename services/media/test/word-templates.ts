import { zipSync } from 'fflate';

const mainNamespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const relationsNamespace = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const types = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export type TemplateFiles = Record<string, string | Uint8Array>;

/** A letterhead of a French Word: the ids of its styles are French, its placeholders are split into runs. */
export function letterheadFiles(body = '<w:p><w:r><w:t>Our reference</w:t></w:r></w:p><w:p/>'): TemplateFiles {
  return {
    '[Content_Types].xml':
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>` +
      `<Override PartName="/word/document2.xml" ContentType="${types}.document.main+xml"/>` +
      ['styles', 'header', 'footer', 'numbering', 'settings', 'comments']
        .map((kind) => `<Override PartName="/word/${kind}.xml" ContentType="${types}.${kind}+xml"/>`)
        .join('') +
      `<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': relationshipsXml([
      ['rId1', 'officeDocument', 'word/document2.xml'],
      [
        'rId2',
        'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
        'docProps/core.xml',
      ],
    ]),
    'docProps/core.xml':
      '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
      'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Designer</dc:creator></cp:coreProperties>',
    'word/document2.xml': documentXml(body),
    'word/_rels/document2.xml.rels': relationshipsXml([
      ['rId1', 'styles', 'styles.xml'],
      ['rId2', 'header', 'header.xml'],
      ['rId3', 'footer', 'footer.xml'],
      ['rId4', 'numbering', 'numbering.xml'],
      ['rId5', 'settings', 'settings.xml'],
      ['rId6', 'comments', 'comments.xml'],
    ]),
    'word/settings.xml': `<w:settings ${mainNamespace} ${relationsNamespace}><w:attachedTemplate r:id="rId1"/></w:settings>`,
    'word/_rels/settings.xml.rels': relationshipsXml([
      ['rId1', 'attachedTemplate', 'file:///C:/Users/designer/Letter.dotx', 'External'],
    ]),
    'word/comments.xml': `<w:comments ${mainNamespace}><w:comment w:id="0" w:author="Designer"><w:p/></w:comment></w:comments>`,
    'word/styles.xml':
      `<w:styles ${mainNamespace}>` +
      '<w:style w:type="paragraph" w:default="1" w:styleId="Standaard"><w:name w:val="Normal"/></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Titre"><w:name w:val="Title"/><w:rPr><w:color w:val="C00000"/></w:rPr></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Titre1"><w:name w:val="heading 1"/></w:style>' +
      '<w:style w:type="table" w:default="1" w:styleId="TableauNormal"><w:name w:val="Normal Table"/></w:style>' +
      '<w:style w:type="table" w:styleId="Grilledutableau"><w:name w:val="Table Grid"/></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Time"><w:name w:val="Our time"/></w:style></w:styles>',
    'word/numbering.xml':
      `<w:numbering ${mainNamespace}><w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0"/></w:abstractNum>` +
      '<w:num w:numId="7"><w:abstractNumId w:val="4"/></w:num></w:numbering>',
    'word/header.xml':
      `<w:hdr ${mainNamespace} ${relationsNamespace} xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
      'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><w:p><w:r><w:t>ACME</w:t></w:r>' +
      '<w:r><w:t xml:space="preserve"> | {</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>{ti</w:t></w:r>' +
      '<w:r><w:t>tle}} | {{ Date }}{{other}}</w:t></w:r>' +
      '<w:r><w:drawing><wp:inline><a:blip r:embed="rId1"/></wp:inline></w:drawing></w:r></w:p></w:hdr>',
    'word/_rels/header.xml.rels': relationshipsXml([['rId1', 'image', 'media/logo.png']]),
    'word/media/logo.png': png,
    'word/footer.xml':
      `<w:ftr ${mainNamespace}><w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>` +
      '<w:r><w:t xml:space="preserve"> of ACME, {{participants}}</w:t></w:r></w:p></w:ftr>',
  };
}

export function documentXml(body: string): string {
  return (
    `<w:document ${mainNamespace} ${relationsNamespace}><w:body>${body}<w:sectPr><w:headerReference w:type="default" r:id="rId2"/>` +
    '<w:footerReference w:type="default" r:id="rId3"/><w:pgSz w:w="8391" w:h="11906"/>' +
    '<w:pgMar w:top="2000" w:right="900" w:bottom="1000" w:left="900" w:header="500" w:footer="500" w:gutter="0"/>' +
    '<w:cols w:space="708"/></w:sectPr></w:body></w:document>'
  );
}

type RelationshipRow = readonly [id: string, kind: string, target: string, mode?: string];

export function relationshipsXml(rows: readonly RelationshipRow[]): string {
  const all = rows.map(([id, kind, target, mode]) => {
    const type = kind.includes(':') ? kind : `${relations}/${kind}`;
    return `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`;
  });
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
}

export function zipped(files: TemplateFiles): Uint8Array {
  const bytes = Object.entries(files).map(([name, content]) => {
    return [name, typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)] as const;
  });
  return zipSync(Object.fromEntries(bytes));
}
