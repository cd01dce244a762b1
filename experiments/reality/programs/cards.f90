! Reads a model from cards of three kinds, and adds them up: cards scratch|internal
! The values of a card are written to a scratch file, and read from there, as was done before there
! were internal files; or they are read from the line.
program cards
    implicit none
    character(len=16) :: mode
    character(len=80) :: line
    integer :: model, scratch, status, number, joined(3), nodes, elements, loads
    integer(8) :: all
    real(8) :: place(3), force, length, total
    logical :: by_scratch
    call get_command_argument(1, mode)
    by_scratch = mode == 'scratch'
    open (newunit=model, file='model.txt', status='old', action='read')
    if (by_scratch) open (newunit=scratch, status='scratch', form='formatted')
    nodes = 0
    elements = 0
    loads = 0
    all = 0
    length = 0
    total = 0
    do
        read (model, '(a)', iostat=status) line
        if (status /= 0) exit
        if (by_scratch) then
            rewind (scratch)
            write (scratch, '(a)') line(5:)
            rewind (scratch)
        end if
        select case (line(1:4))
        case ('NODE')
            if (by_scratch) then
                read (scratch, *) number, place
            else
                read (line(5:), *) number, place
            end if
            nodes = nodes + 1
            length = length + sqrt(sum(place**2))
        case ('ELEM')
            if (by_scratch) then
                read (scratch, *) number, joined
            else
                read (line(5:), *) number, joined
            end if
            elements = elements + 1
            all = all + joined(1) + 2 * joined(2) + 3 * joined(3)
        case ('LOAD')
            if (by_scratch) then
                read (scratch, *) number, force
            else
                read (line(5:), *) number, force
            end if
            loads = loads + 1
            total = total + force
        end select
    end do
    close (model)
    if (by_scratch) close (scratch)
    print '(3i9, i16, 2es23.15)', nodes, elements, loads, all, length, total
end program cards
