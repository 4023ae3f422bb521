/** Names that are words of everyday English as well: alone and in lower case they count as words. */
export const ordinaryNames: ReadonlySet<string> = new Set(
  `ace alone alpha amber ana angel ant ark art ash aura autumn ava avis baby bala bars basil bas bay bean beat beau bell berry best bill bins birch
  bishop bit blank blaze block bliss blue bob bond bread brand brandy brook brooks brown buck bud bush cab can candy carbon carol carter case cash cats
  chance chase charity chastity cherry chip claim clay cliff coast cola colt conn cook cookie coral cotton count court cousin cross crystal cruise daisy
  dale dan dandy darling dash dawn day deacon dean dee delta dell deluxe dev dew diamond dies dick dock dolly don done dot drew drone duke dusty earl earnest
  east ebony echo eden edge elder else elm ember emerald era essence eve even ever faith fall fancy fate fawn fay feather fern field fin fine finn
  fish fleet flint flip flo floor flower forest fort foster fox frank free fresh frost gage gale gal gap garland garnet gate gay gee gem general genesis
  gentle ginger giro glad glen glory god gold goldie good goose grace grand grant gray green greet grey guide gun gus guy guru hack hale hall han hand happy
  hardy harp harper hart harvest has haven hazel hatch heath heather heaven hero hill hilt hobbs hold hole holly home honey honor hood hop hope hot hound hunter
  ice idea ill ion iris iron ivory ivy jack jade jam jan jasmine jasper jay jean jeans jersey jet jewel jim job jolly jordan journey joy judge junior just justice
  key keys kick kid kin kind king kit lace lack lacy lady lai lake lamb lame lance land lane lang large lark laurel law lax lea lean lee lemon len less lev
  liberty lie light lilac lily lime lind line lion little loan loma lon lone long lord loss lot lots lotus love low loyal lucky luck lug luna lush lux mac mace
  mack magic major male mali man mane manor many maple marble march mare margin marine mark marks marina mars marsh mas mason mass master mat max may
  mayor meadow media melody memory men mercy merit merry meta mike mill mine mini minor mint mist modest mole moon moral more moss most moth myrtle name nana
  nat nature navy near neon new nick night nine noble noon norm north note nova novel now oak oasis oat ocean odd oil older olive oma opal opera orange oral orchid
  otter owl page pain pair pal pam pan para param park parker part pass past pat patience patient peace peach peak pearl peer pen penny per perry pet peter pia
  pie pike pink pip pipe pit plain plum poem poet pole poll pool pop poppy port porter post pot potter pound power praise prairie prem press price pride prime
  prince princess promise prose prosper prudence prune pry purdy queen quest quick quill rack rain rainbow ram ranger rate rave raven raw ray ready real reason red reed
  reef regina rein remedy rest rey rice rich ridge riding rim ring river rivers road roads rob robin rock rocket rod rode roger role roll roman rome romance root
  rosa rose rosemary rosy row rowan royal ruby rue run rush rust rusty rut sable saga sage said sail sailor saint sale salt sam same samba sand sandy sang sapphire
  satin savanna scarlet school scot scott sea season see sen send sera server set shade shadow shank shark sharp shaw shea shell shepherd shield shields shine ship
  shore short sid side sierra silver sim single sister skip sky slater sleep slim small smart smith smooth snow sol solar son song sonny sound south spark sparrow spring
  spruce stack stan star stark states steel step sterling stew stone storm story strong sue suite summer sun sunday sunny swan sweet swift tab table tad
  tag talent tall talon tan tang tap tar taste tate tax taylor tea teal temp temple ten terry thin thorn thrift thunder ties tiger til tile till tim timber time tin
  toby toe toke tom ton tone tony top tor torch total town toy trace trade trail treasure tree trees trey trinity tripp troy true trust tub tucker tulip
  turn turner twin twist unique unity urban val vale valley valor van velvet venus verge vest vet vice vic victory view vine viola violet virtue vista viva von wade wale
  walk walker wall wan wanda war ward wash watch water wave way weather web weeks weight weir well wells wet wheat wheeler white wick wild will willow win wind wine winner
  winter wise wolf wong wood woods word worth wren yam yard yaw young zen zero zest zone`.split(/\s+/),
);

/** Names that are proper nouns of another kind: months, places, peoples. With a capital letter they are no name either. */
export const properNouns: ReadonlySet<string> = new Set(
  `alabama alaska alexandria america april arabia argentina arizona arlington asia athens atlanta august austin australia austria barcelona bavaria belfast berlin
  boston brasil brazil bristol brittany brooklyn cairo california cambridge camden canada carolina charlotte chelsea chester chicago chile china christian
  cologne columbia cordoba cuba dakota dallas damascus delhi denver devon dublin durham easter egypt england essex europe florence florida france frankfurt geneva
  genoa georgia germany ghana granada greece gregorian hamburg hamilton havana holland houston hungary india indiana iran ireland israel italy jamaica january jerusalem
  jordan july june kansas kent kenya kiel kingston korea kyoto lancaster leon lima lincoln lisbon liverpool london lourdes lyon madison madrid malta manchester maria march
  marseille may melbourne memphis mexico miami milan montana monday montreal moscow munich nevada newton norfolk normandy norway odessa orlando oslo oxford padua
  panama paris perth peru philadelphia phoenix poland portland porto portugal prague preston princeton quebec richmond rio roma rome russia sabbath salem salvador samara san
  santa santiago santos saturday savannah scotland seattle sevilla sierra siena singapore somerset spain sparta stanford stuttgart suffolk sunday surrey sussex
  sweden sydney syria texas toledo trent trinidad troy tuesday turin tyrol valencia valentine venice venezia verona victoria vienna virginia wales warsaw warwick washington
  wellington winchester windsor wyoming york yorkshire zurich`.split(/\s+/),
);

/** Names that the dictionary lists for a rare meaning ("john", "jake"): in lower case they are names. */
export const mainlyNames: ReadonlySet<string> = new Set(
  `abigail albert alexander alfredo alison amelia angelica ann anna annalise ariel aurelia barney barry ben benjamin benny bertha beth betty billy bobby brad
  carl carmen charley charlie christie christy clarence cleopatra colin colleen connie corey cory craig danny daphne darcy denis derrick dexter diane dieter
  dominick dominique donna donny doris emma emmet emmy eric erica erick eugenia felicia fritz georgette geronimo gilbert gloria graham hakim hamza hank harry hector
  henry hettie isabel isabella jacky jake james jane jeanette jeff jenny jerry jess jesse jessie jill jimmie jimmy joanna joe joey johannes john johnnie johnny
  johnson joseph josh judy juliet kamala kelly ken kris kumari kyle kylie lars laura lewis liana lionel lizzie lou louie louis luke madeleine maggie marc marcel
  marcella marly marshall martin mary matilda matt mattie maud mavis maxwell maya michael mick mitch moira mollie molly morgan morris murphy murray nancy neal
  ned nellie nelly nelson noah noel norma norman oliver ollie oscar otto paolo patrick paul pedro peggy petar phoebe polly ralph ramona randy rick riley rogers
  rolf romeo ronnie rory rosalia roscoe russel ruth sally sammy sean sharon shawn sheila spencer stella stephane steven sylvia tamara tammy ted timothy tina
  tommy travis tyler vanessa vera veronica victor warren webster william willie zack`.split(/\s+/),
);
